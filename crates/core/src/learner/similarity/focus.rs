//! The rows that matter in a round, and what a response would gain on them.
//!
//! Boosting concentrates the weight on few rows. Candidates are compared on the heaviest rows, which carry all but
//! 2 % of the weight; the output vector of the one chosen is then found on all rows.

use crate::learner::Round;

/// Share of the weight that may be left out.
const LEFT_OUT: f64 = 0.02;
/// Classes that are added up together.
pub const TOGETHER: usize = 8;
/// Rows looked at together; a fixed number, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;

/// The heaviest rows.
pub struct Focus {
    /// Row numbers, rising.
    pub rows: Vec<u32>,
    /// `[block of classes][row][class in block]`: slopes, and curvatures unless they are the slopes' magnitudes.
    pub blocks: Vec<[f32; TOGETHER]>,
    /// In the same order.
    pub curvatures: Option<Vec<[f32; TOGETHER]>>,
    /// Per class: what is added to sum f^2 h, so that a handful of rows does not promise the world.
    pub ridge: Vec<f64>,
}

impl Focus {
    /// The heaviest rows of a round, or all of them.
    pub fn new(round: &Round<'_>, everything: bool) -> Self {
        let k = round.loss.classes();
        let slopes = &round.weights.slopes;
        let rows = if everything { (0..round.loss.rows() as u32).collect() } else { heaviest(slopes, k, round) };
        let gather = |from: &(dyn Fn(usize) -> f32 + Sync)| {
            let mut blocks = vec![[0.0; TOGETHER]; rows.len() * k.div_ceil(TOGETHER)];
            // Parts may begin in one block of classes and end in the next.
            round.context.map_parts(&mut blocks, CHUNK, rows.len() * k, |part, out| {
                for (i, out) in out.iter_mut().enumerate() {
                    let at = part * CHUNK + i;
                    let (first, row) = (at / rows.len() * TOGETHER, rows[at % rows.len()] as usize);
                    let width = TOGETHER.min(k - first);
                    out[..width].iter_mut().enumerate().for_each(|(c, out)| *out = from(row * k + first + c));
                }
            });
            blocks
        };
        let one_sided = round.loss.surrogate().is_exponential() && round.loss.is_one_sided();
        let curvatures = (!one_sided).then(|| {
            let all = round.loss.curvatures(round.scores, round.context);
            gather(&|cell| all[cell])
        });
        let blocks = gather(&|cell| slopes[cell] as f32);
        let smoothing = round.loss.smoothing().max(1e-9);
        let ridge = round.weights.totals.iter().map(|s| smoothing * s).collect();
        Focus { rows, blocks, curvatures, ridge }
    }
}

/// The fewest rows that carry all but a small share of the weight, up to the coarseness of a quarter octave.
fn heaviest(slopes: &[f64], classes: usize, round: &Round<'_>) -> Vec<u32> {
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
