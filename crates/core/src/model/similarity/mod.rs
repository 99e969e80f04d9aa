//! Localized similarities in their prediction form (thesis 5.4): answers that follow from the squared distances to
//! one or two training rows.
//!
//! Everything follows from A = |x - x_i|^2, B = |x - x_j|^2 and |x_i - x_j|^2 = 4 |d|^2 (design 5.2):
//! <d, x - m> = (B - A) / 4 and |x - m|^2 = (A + B) / 2 - |d|^2. Training and prediction call the same functions on
//! the same single-precision numbers, so responses agree to the bit.

mod distance;
mod points;
mod supports;

pub use distance::{LANES, padded, scattered_distances, squared_distance, squared_distances};
pub use points::{Coding, LARGEST_COORDINATE, PointCoding, Points, Whitening};
pub use supports::Supports;

use serde::Serialize;

/// A weak learner that compares a row with training rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarity {
    /// What is compared.
    pub form: Form,
    /// Whether only the sign of the comparison counts (the thesis' binary learners).
    pub sign: bool,
    /// Which of the chain's [`Supports`] it compares with: each is a metric of its own.
    pub metric: u32,
}

/// What a [`Similarity`] compares. Supports are positions in the metric's [`Supports`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// +1 for every row: the homogeneous stump (one point, infinite threshold).
    Always,
    /// One point: nearer to the support than the threshold?
    One {
        /// The support.
        support: u32,
        /// tau: a squared distance.
        tau: f32,
    },
    /// Two points: nearer to the first support than to the second?
    Two {
        /// The supports i and j.
        supports: [u32; 2],
        /// How the answer falls off.
        shape: Shape,
        /// |x_i - x_j|^2.
        apart: f32,
    },
}

/// How a two-point answer falls off away from its supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// The thesis' form, scaled to a maximum of one: peaks near the supports, fades far away.
    Thesis,
    /// (B - A) / (B + A): fades more slowly.
    Ratio,
    /// clamp((B - A) / (4 |d|^2), -1, 1): a linear bridge between the supports, constant beyond.
    Linear,
}

/// The peak of <d, x - m> / (4 |d|^4 + |x - m|^4) is 1 / (4.963 |d|^2).
const THESIS_PEAK: f32 = 4.963;

impl Shape {
    /// All shapes, in file order.
    pub const ALL: [Shape; 3] = [Shape::Thesis, Shape::Ratio, Shape::Linear];

    /// Response from the two squared distances; `apart` = |x_i - x_j|^2 > 0.
    #[inline(always)]
    pub fn respond(self, a: f32, b: f32, apart: f32) -> f32 {
        match self {
            Shape::Thesis => {
                let d2 = 0.25 * apart;
                // In units of |d|^2, so that no fourth power can overflow or vanish.
                let along = (b - a) / (4.0 * d2);
                let off = (0.5 * (a + b) / d2 - 1.0).max(0.0);
                (THESIS_PEAK * along / (4.0 + off * off)).clamp(-1.0, 1.0)
            }
            // The distances to two distinct points are not both zero; the floor is for hostile model files.
            Shape::Ratio => (b - a) / (b + a).max(f32::MIN_POSITIVE),
            Shape::Linear => ((b - a) / apart).clamp(-1.0, 1.0),
        }
    }
}

/// One-point response (thesis 5.4, mode 1).
#[inline(always)]
pub fn one_point(a: f32, tau: f32) -> f32 {
    (tau - a) / (tau + a)
}

impl Similarity {
    /// The supports it uses.
    pub fn supports(&self) -> impl Iterator<Item = u32> {
        let (first, second) = match self.form {
            Form::Always => (None, None),
            Form::One { support, .. } => (Some(support), None),
            Form::Two { supports: [i, j], .. } => (Some(i), Some(j)),
        };
        first.into_iter().chain(second)
    }

    /// Responses to rows whose squared distances to the supports are given: `a` to the first, `b` to the second
    /// (either may be empty if the form has no such support).
    pub fn respond(&self, a: &[f32], b: &[f32], out: &mut [f64]) {
        pulp::Arch::new().dispatch(Respond { learner: self, a, b, out });
    }

    #[inline(always)]
    fn respond_in_place(&self, a: &[f32], b: &[f32], out: &mut [f64]) {
        match self.form {
            Form::Always => out.fill(1.0),
            Form::One { tau, .. } => {
                out.iter_mut().zip(a).for_each(|(out, a)| *out = f64::from(one_point(*a, tau)));
            }
            Form::Two { shape, apart, .. } => {
                let rows = out.iter_mut().zip(a.iter().zip(b));
                // One loop a shape: a choice inside the loop would keep it from being vectorised.
                match shape {
                    Shape::Thesis => {
                        rows.for_each(|(out, (a, b))| *out = Shape::Thesis.respond(*a, *b, apart).into())
                    }
                    Shape::Ratio => rows.for_each(|(out, (a, b))| *out = Shape::Ratio.respond(*a, *b, apart).into()),
                    Shape::Linear => {
                        rows.for_each(|(out, (a, b))| *out = Shape::Linear.respond(*a, *b, apart).into())
                    }
                }
            }
        }
        if self.sign {
            out.iter_mut().for_each(|f| *f = if *f >= 0.0 { 1.0 } else { -1.0 });
        }
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Respond<'a> {
    learner: &'a Similarity,
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Respond<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.learner.respond_in_place(self.a, self.b, self.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The shapes against the thesis' formulas, in double precision and from coordinates.
        #[test]
        fn shapes_are_the_formulas(x in prop::array::uniform3(-3.0..3.0f64), d in prop::array::uniform3(0.1..2.0f64)) {
            let (i, j) = (d, d.map(|v| -v)); // midpoint zero
            let far = |p: [f64; 3]| (0..3).map(|c| (x[c] - p[c]).powi(2)).sum::<f64>();
            let dot = (0..3).map(|c| d[c] * x[c]).sum::<f64>();
            let (d2, x2) = (d.map(|v| v * v).iter().sum::<f64>(), x.map(|v| v * v).iter().sum::<f64>());
            let (a, b, apart) = (far(i) as f32, far(j) as f32, (4.0 * d2) as f32);
            let close = |f: f32, exact: f64| (f64::from(f) - exact).abs() < 1e-4;
            prop_assert!(close(Shape::Thesis.respond(a, b, apart), 4.963 * d2 * dot / (4.0 * d2 * d2 + x2 * x2)));
            prop_assert!(close(Shape::Ratio.respond(a, b, apart), 2.0 * dot / (d2 + x2)));
            prop_assert!(close(Shape::Linear.respond(a, b, apart), (dot / d2).clamp(-1.0, 1.0)));
            for shape in Shape::ALL {
                prop_assert!(shape.respond(a, b, apart).abs() <= 1.0);
                prop_assert_eq!(shape.respond(a, b, apart), -shape.respond(b, a, apart));
            }
        }
    }

    #[test]
    fn the_thesis_shape_peaks_at_one() {
        // On the axis: x = t d, A = (t - 1)^2, B = (t + 1)^2 in units of |d|^2.
        let most = (0..2000).map(|i| {
            let t = i as f32 * 0.001;
            Shape::Thesis.respond((t - 1.0) * (t - 1.0), (t + 1.0) * (t + 1.0), 4.0)
        });
        let most = most.fold(0.0, f32::max);
        assert!((most - 1.0).abs() < 1e-4, "{most}");
    }
}
