//! Step 5 of thesis 5.4: which opposite point, and which shape, makes the best comparison with the anchor.
//!
//! Gains are second-order reductions of the loss on the heaviest rows, sum_k (sum f g)^2 / (sum f^2 h), the
//! real-valued form of eq. 5.5. All opposite points are compared with a stretch of rows before the next stretch is
//! read, so points are read from memory once, and only the columns of the comparison chosen are ever made in full.

use super::distances::Distances;
use super::focus::{Focus, TOGETHER};
use super::search::Field;
use crate::learner::Round;
use crate::model::similarity::{Form, Shape};

/// Rows added up in single precision; between stretches sums are in double precision.
const STRETCH: usize = 256;
/// Shapes compared in one pass over the weights.
const AT_ONCE: usize = 3;

/// A candidate: supports are training rows here.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The comparison.
    pub form: Form,
    /// Its gain.
    pub gain: f64,
}

/// sum f g and sum f^2 h of each shape for a block of classes.
#[derive(Clone, Copy, Default)]
struct Sums<T> {
    first: [[T; TOGETHER]; AT_ONCE],
    second: [[T; TOGETHER]; AT_ONCE],
}

/// Whether a gain is larger by more than the rounding of single-precision sums. Where one row holds all the weight,
/// every response to it gains the same, and the nearest opposite point should win.
pub fn clearly(gain: f64, than: f64) -> bool {
    gain > than * (1.0 + 1e-5)
}

/// The best comparison of the anchor with an opposite point.
pub fn best(
    round: &Round<'_>,
    focus: &Focus,
    field: &Field,
    shapes: &[Shape],
    distances: &Distances,
) -> Option<Candidate> {
    let shapes: [Shape; AT_ONCE] = std::array::from_fn(|slot| shapes[slot.min(shapes.len() - 1)]);
    let (rows, opposites) = (focus.rows.len(), &field.opposites);
    let (classes, blocks) = (round.loss.classes(), round.loss.classes().div_ceil(TOGETHER));
    let work = rows * (classes + distances.points().length) * opposites.len();
    let parts = round.context.map_with(rows.div_ceil(STRETCH), work, Stretch::default, |stretch, i| {
        let range = i * STRETCH..rows.min((i + 1) * STRETCH);
        let here = &focus.rows[range.clone()];
        stretch.near.resize(here.len(), 0.0);
        stretch.far.resize(here.len(), 0.0);
        stretch.near.iter_mut().zip(here).for_each(|(near, row)| *near = field.column[*row as usize]);
        let mut sums = Vec::with_capacity(opposites.len() * blocks);
        for opposite in opposites {
            distances.some(*opposite, here, &mut stretch.far);
            stretch.respond(&shapes, field.column[*opposite as usize]);
            for block in 0..blocks {
                let cells = block * rows + range.start..block * rows + range.end;
                let curvatures = focus.curvatures.as_ref().map(|c| &c[cells.clone()]);
                sums.push(stretch.sums(&focus.blocks[cells], curvatures));
            }
        }
        sums
    });
    let mut totals = vec![Sums::<f64>::default(); opposites.len() * blocks];
    for part in &parts {
        totals.iter_mut().zip(part).for_each(|(total, sums)| total.add(sums));
    }
    let found = opposites.iter().zip(totals.chunks_exact(blocks)).map(|(opposite, sums)| {
        let gains = gains(sums, &focus.ridge);
        let best = (1..AT_ONCE).fold(0, |best, slot| if clearly(gains[slot], gains[best]) { slot } else { best });
        let apart = field.column[*opposite as usize];
        let form = Form::Two { supports: [field.anchor, *opposite], shape: shapes[best], apart };
        Candidate { form, gain: gains[best] }
    });
    found.reduce(|a, b| if clearly(b.gain, a.gain) { b } else { a })
}

impl Sums<f64> {
    fn add(&mut self, other: &Sums<f32>) {
        for r in 0..AT_ONCE {
            for c in 0..TOGETHER {
                self.first[r][c] += f64::from(other.first[r][c]);
                self.second[r][c] += f64::from(other.second[r][c]);
            }
        }
    }
}

/// Gain of each shape from its sums over all blocks of classes.
fn gains(sums: &[Sums<f64>], ridge: &[f64]) -> [f64; AT_ONCE] {
    let mut gains = [0.0; AT_ONCE];
    for (sums, ridge) in sums.iter().zip(ridge.chunks(TOGETHER)) {
        for (c, ridge) in ridge.iter().enumerate() {
            for r in 0..AT_ONCE {
                let under = sums.second[r][c] + 2.0 * ridge;
                if under > 0.0 {
                    gains[r] += sums.first[r][c] * sums.first[r][c] / under;
                }
            }
        }
    }
    gains
}

/// Scratch for a stretch of rows: distances to the anchor and to the opposite point, and the responses of each shape.
#[derive(Default)]
struct Stretch {
    near: Vec<f32>,
    far: Vec<f32>,
    responses: [Vec<f32>; AT_ONCE],
}

impl Stretch {
    fn respond(&mut self, shapes: &[Shape; AT_ONCE], apart: f32) {
        for (shape, responses) in shapes.iter().zip(&mut self.responses) {
            responses.resize(self.near.len(), 0.0);
            let (near, far) = (&self.near, &self.far);
            pulp::Arch::new().dispatch(Respond { shape: *shape, apart, near, far, responses });
        }
    }

    fn sums(&self, slopes: &[[f32; TOGETHER]], curvatures: Option<&[[f32; TOGETHER]]>) -> Sums<f32> {
        pulp::Arch::new().dispatch(AddUp { responses: &self.responses, slopes, curvatures })
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Respond<'a> {
    shape: Shape,
    apart: f32,
    near: &'a [f32],
    far: &'a [f32],
    responses: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Respond<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let apart = self.apart;
        let rows = self.responses.iter_mut().zip(self.near.iter().zip(self.far));
        match self.shape {
            Shape::Thesis => rows.for_each(|(out, (a, b))| *out = Shape::Thesis.respond(*a, *b, apart)),
            Shape::Ratio => rows.for_each(|(out, (a, b))| *out = Shape::Ratio.respond(*a, *b, apart)),
            Shape::Linear => rows.for_each(|(out, (a, b))| *out = Shape::Linear.respond(*a, *b, apart)),
        }
    }
}

struct AddUp<'a> {
    responses: &'a [Vec<f32>; AT_ONCE],
    slopes: &'a [[f32; TOGETHER]],
    curvatures: Option<&'a [[f32; TOGETHER]]>,
}

impl pulp::NullaryFnOnce for AddUp<'_> {
    type Output = Sums<f32>;

    #[inline(always)]
    fn call(self) -> Sums<f32> {
        // Two plain loops: a choice inside the loop would keep it from being vectorised.
        match self.curvatures {
            None => add_up(self.responses, self.slopes, |row| self.slopes[row].map(f32::abs)),
            Some(curvatures) => add_up(self.responses, self.slopes, |row| curvatures[row]),
        }
    }
}

#[inline(always)]
fn add_up(
    responses: &[Vec<f32>; AT_ONCE],
    slopes: &[[f32; TOGETHER]],
    curvature: impl Fn(usize) -> [f32; TOGETHER],
) -> Sums<f32> {
    let rows = slopes.len();
    let responses: [&[f32]; AT_ONCE] = std::array::from_fn(|r| &responses[r][..rows]);
    let mut sums = Sums::<f32>::default();
    for row in 0..rows {
        let (g, h) = (slopes[row], curvature(row));
        for r in 0..AT_ONCE {
            let f = responses[r][row];
            let square = f * f;
            for c in 0..TOGETHER {
                sums.first[r][c] += f * g[c];
                sums.second[r][c] += square * h[c];
            }
        }
    }
    sums
}
