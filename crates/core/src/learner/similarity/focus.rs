//! The rows that matter in a round, and what a response would gain on them.
//!
//! Boosting concentrates the weight on few rows. Candidates are compared on the heaviest rows, which carry all but
//! 2 % of the weight; the output vector of the one chosen is then found on all rows. Gains are the second-order
//! reductions of the loss, sum_k (sum f g)^2 / (sum f^2 h), the real-valued form of eq. 5.5.

use crate::learner::Round;

/// Share of the weight that may be left out.
const LEFT_OUT: f64 = 0.02;
/// Classes that are added up together.
const TOGETHER: usize = 8;
/// Responses that are compared in one pass over the weights.
pub const AT_ONCE: usize = 3;

/// The heaviest rows.
pub struct Focus {
    /// Row numbers, rising.
    pub rows: Vec<u32>,
    /// `[row][class]`: slopes of these rows.
    pub slopes: Vec<f32>,
    /// `[block of classes][row][class in block]`: slopes, and curvatures unless they are the slopes' magnitudes.
    blocks: Vec<[f32; TOGETHER]>,
    curvatures: Option<Vec<[f32; TOGETHER]>>,
    /// Per class: what is added to sum f^2 h, so that a handful of rows does not promise the world.
    ridge: Vec<f64>,
}

impl Focus {
    /// The heaviest rows of a round, or all of them.
    pub fn new(round: &Round<'_>, everything: bool) -> Self {
        let k = round.loss.classes();
        let slopes = &round.weights.slopes;
        let rows = if everything { (0..round.loss.rows() as u32).collect() } else { heaviest(slopes, k, round) };
        let gather = |from: &dyn Fn(usize) -> f32| -> Vec<[f32; TOGETHER]> {
            let mut blocks = Vec::with_capacity(rows.len() * k.div_ceil(TOGETHER));
            for first in (0..k).step_by(TOGETHER) {
                let width = TOGETHER.min(k - first);
                for row in &rows {
                    let mut block = [0.0; TOGETHER];
                    for (c, out) in block[..width].iter_mut().enumerate() {
                        *out = from(*row as usize * k + first + c);
                    }
                    blocks.push(block);
                }
            }
            blocks
        };
        let one_sided = round.loss.surrogate().is_exponential() && round.loss.is_one_sided();
        let curvatures = (!one_sided).then(|| {
            let all = round.loss.curvatures(round.scores, round.context);
            gather(&|cell| all[cell])
        });
        let blocks = gather(&|cell| slopes[cell] as f32);
        let dense = rows.iter().flat_map(|row| &slopes[*row as usize * k..][..k]).map(|g| *g as f32).collect();
        let smoothing = round.loss.smoothing().max(1e-9);
        let ridge = round.weights.totals.iter().map(|s| smoothing * s).collect();
        Focus { rows, slopes: dense, blocks, curvatures, ridge }
    }

    /// Gains of responses to these rows, `[row][response]`.
    pub fn gains(&self, responses: &[[f32; AT_ONCE]]) -> [f64; AT_ONCE] {
        let mut gains = [0.0; AT_ONCE];
        if responses.is_empty() {
            return gains;
        }
        for (block, slopes) in self.blocks.chunks_exact(responses.len()).enumerate() {
            let curvatures = self.curvatures.as_ref().map(|c| &c[block * responses.len()..][..responses.len()]);
            let (first, second) = sums(responses, slopes, curvatures);
            let classes = &self.ridge[block * TOGETHER..];
            for (c, ridge) in classes.iter().enumerate().take(TOGETHER) {
                for r in 0..AT_ONCE {
                    let under = second[r][c] + 2.0 * ridge;
                    if under > 0.0 {
                        gains[r] += first[r][c] * first[r][c] / under;
                    }
                }
            }
        }
        gains
    }
}

type ClassSums = [[f64; TOGETHER]; AT_ONCE];

/// sum f g and sum f^2 h for a block of classes, by whatever vector instructions there are.
fn sums(
    responses: &[[f32; AT_ONCE]],
    slopes: &[[f32; TOGETHER]],
    curvatures: Option<&[[f32; TOGETHER]]>,
) -> (ClassSums, ClassSums) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || plain_sums(responses, slopes, curvatures),
    )
}

/// Single precision over short stretches, double in between.
#[inline(always)]
fn plain_sums(
    responses: &[[f32; AT_ONCE]],
    slopes: &[[f32; TOGETHER]],
    curvatures: Option<&[[f32; TOGETHER]]>,
) -> (ClassSums, ClassSums) {
    const STRETCH: usize = 256;
    let mut first = [[0.0; TOGETHER]; AT_ONCE];
    let mut second = [[0.0; TOGETHER]; AT_ONCE];
    for start in (0..responses.len()).step_by(STRETCH) {
        let end = (start + STRETCH).min(responses.len());
        let mut a = [[0.0f32; TOGETHER]; AT_ONCE];
        let mut b = [[0.0f32; TOGETHER]; AT_ONCE];
        let mut add = |f: &[f32; AT_ONCE], g: &[f32; TOGETHER], h: &[f32; TOGETHER]| {
            for r in 0..AT_ONCE {
                let square = f[r] * f[r];
                for c in 0..TOGETHER {
                    a[r][c] += f[r] * g[c];
                    b[r][c] += square * h[c];
                }
            }
        };
        let rows = responses[start..end].iter().zip(&slopes[start..end]);
        match curvatures {
            None => rows.for_each(|(f, g)| add(f, g, &g.map(f32::abs))),
            Some(h) => rows.zip(&h[start..end]).for_each(|((f, g), h)| add(f, g, h)),
        }
        for r in 0..AT_ONCE {
            for c in 0..TOGETHER {
                first[r][c] += f64::from(a[r][c]);
                second[r][c] += f64::from(b[r][c]);
            }
        }
    }
    (first, second)
}

/// The fewest rows that carry all but a small share of the weight, up to the coarseness of a quarter octave.
fn heaviest(slopes: &[f64], classes: usize, round: &Round<'_>) -> Vec<u32> {
    const CHUNK: usize = 2048;
    let rows = round.loss.rows();
    let mut weights = vec![0.0f64; rows];
    round.context.map_parts(&mut weights, CHUNK, slopes.len(), |i, out| {
        for (out, row) in out.iter_mut().zip(slopes[i * CHUNK * classes..].chunks_exact(classes)) {
            *out = row.iter().map(|g| g.abs()).sum();
        }
    });
    // Exponent and the first two bits behind it.
    let size = |w: f64| (w.to_bits() >> 50) as usize & 0x1fff;
    let mut by_size = vec![0.0f64; 0x2000];
    weights.iter().for_each(|w| by_size[size(*w)] += w);
    let total: f64 = by_size.iter().sum();
    let mut kept = 0.0;
    let mut least = by_size.len();
    while least > 0 && kept < (1.0 - LEFT_OUT) * total {
        least -= 1;
        kept += by_size[least];
    }
    (0..rows as u32).filter(|row| size(weights[*row as usize]) >= least).collect()
}
