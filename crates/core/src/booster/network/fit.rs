//! One network, by stochastic gradients: Adam (Kingma, Ba 2015, Algorithm 1) on small batches of rows in random order, with steps
//! that fall smoothly to zero.

use crate::context::Context;
use crate::data::synthetic::random::{Normal, below};
use crate::linear::{mix, outer_into, product_into};
use crate::math::{exp_all, ln, tanh_all};
use rand_chacha::ChaCha8Rng;

/// First step.
const STEP: f64 = 0.02;
/// How long slopes and their squares are remembered.
const MEMORY: (f64, f64) = (0.9, 0.999);
/// Keeps the step finite where nothing slopes.
const FLAT: f64 = 1e-8;
/// Deviation of the first thresholds.
const SPREAD: f64 = 0.5;
/// Rows of a batch when the loss is measured.
const MEASURED: usize = 1024;

/// Rows of a batch: a sixteenth of all, within these bounds.
pub fn batch(rows: usize) -> usize {
    (rows / 16).clamp(16, 256)
}

/// The problem.
pub struct Fit<'a> {
    /// `[row][column]`.
    pub points: &'a [f32],
    pub columns: usize,
    /// One a row.
    pub labels: &'a [u32],
    /// One a row.
    pub weights: &'a [f64],
    /// Their sum.
    pub total: f64,
    /// Where the scores start, one a class.
    pub bias: &'a [f64],
    pub units: usize,
    pub epochs: usize,
    pub ridge: f64,
}

/// All that is fitted, in one piece: directions `[column][unit]`, thresholds `[unit]`, outputs `[unit][class]`, start `[class]`.
pub struct Net {
    values: Vec<f64>,
    shape: Shape,
}

#[derive(Clone, Copy)]
struct Shape {
    columns: usize,
    units: usize,
    classes: usize,
}

/// The four parts of what is fitted, or of its slopes.
struct Parts<T> {
    directions: T,
    thresholds: T,
    outputs: T,
    bias: T,
}

impl Shape {
    fn len(&self) -> usize {
        (self.columns + 1 + self.classes) * self.units + self.classes
    }

    /// Those with a ridge come first and third.
    fn ends(&self) -> [usize; 3] {
        let directions = self.columns * self.units;
        [directions, directions + self.units, directions + self.units * (1 + self.classes)]
    }

    fn parts<'a>(&self, values: &'a [f64]) -> Parts<&'a [f64]> {
        let [a, b, c] = self.ends();
        Parts { directions: &values[..a], thresholds: &values[a..b], outputs: &values[b..c], bias: &values[c..] }
    }

    fn parts_mut<'a>(&self, values: &'a mut [f64]) -> Parts<&'a mut [f64]> {
        let [a, b, c] = self.ends();
        let (directions, rest) = values.split_at_mut(a);
        let (thresholds, rest) = rest.split_at_mut(b - a);
        let (outputs, bias) = rest.split_at_mut(c - b);
        Parts { directions, thresholds, outputs, bias }
    }
}

impl Net {
    /// Normal deviates as directions, of length one on average; no output yet.
    fn new(shape: Shape, bias: &[f64], rng: &mut ChaCha8Rng) -> Net {
        let mut net = Net { values: vec![0.0; shape.len()], shape };
        let (mut normal, scale) = (Normal::default(), 1.0 / (shape.columns as f64).sqrt());
        let parts = shape.parts_mut(&mut net.values);
        parts.directions.iter_mut().for_each(|w| *w = scale * normal.next(rng));
        parts.thresholds.iter_mut().for_each(|b| *b = SPREAD * normal.next(rng));
        parts.bias.copy_from_slice(bias);
        net
    }

    /// The weights of a unit, one a column, and its threshold.
    pub fn unit(&self, unit: usize) -> (Vec<f64>, f64) {
        let parts = self.shape.parts(&self.values);
        let weights = parts.directions.iter().skip(unit).step_by(self.shape.units).copied().collect();
        (weights, parts.thresholds[unit])
    }

    /// What a unit is worth to each class.
    pub fn output(&self, unit: usize) -> &[f64] {
        &self.shape.parts(&self.values).outputs[unit * self.shape.classes..][..self.shape.classes]
    }

    /// Where the scores start.
    pub fn bias(&self) -> &[f64] {
        self.shape.parts(&self.values).bias
    }
}

/// Room for a batch.
struct Batch {
    /// `[row][column]`.
    points: Vec<f64>,
    /// Answers of the units, `[row][unit]`.
    answers: Vec<f64>,
    /// Scores, then their slopes, `[row][class]`.
    scores: Vec<f64>,
    /// Slopes at the units, `[row][unit]`.
    slopes: Vec<f64>,
}

impl Batch {
    fn new(shape: Shape, rows: usize) -> Batch {
        let zeros = |length: usize| vec![0.0; rows * length];
        let Shape { columns, units, classes } = shape;
        Batch { points: zeros(columns), answers: zeros(units), scores: zeros(classes), slopes: zeros(units) }
    }

    /// Scores of these rows, the first ones of the batch.
    fn run(&mut self, fit: &Fit<'_>, net: &Net, rows: &[u32]) {
        pulp::Arch::new().dispatch(Forth { batch: self, fit, net, rows });
    }

    #[inline(always)]
    fn forth(&mut self, fit: &Fit<'_>, net: &Net, rows: &[u32]) {
        let Shape { columns, units, classes } = net.shape;
        let parts = net.shape.parts(&net.values);
        for (row, out) in rows.iter().zip(self.points.chunks_exact_mut(columns)) {
            let point = &fit.points[*row as usize * columns..][..columns];
            out.iter_mut().zip(point).for_each(|(out, x)| *out = f64::from(*x));
        }
        let answers = &mut self.answers[..rows.len() * units];
        mix(answers, parts.directions, &self.points[..rows.len() * columns], units);
        for answers in answers.chunks_exact_mut(units) {
            answers.iter_mut().zip(parts.thresholds).for_each(|(z, b)| *z += b);
        }
        tanh_all(answers);
        let scores = &mut self.scores[..rows.len() * classes];
        mix(scores, parts.outputs, answers, classes);
        for scores in scores.chunks_exact_mut(classes) {
            scores.iter_mut().zip(parts.bias).for_each(|(h, c)| *h += c);
        }
    }

    /// Turns scores into slopes of the mean loss, then into those of all that is fitted.
    fn back(&mut self, fit: &Fit<'_>, net: &Net, rows: &[u32], slopes: &mut [f64]) {
        pulp::Arch::new().dispatch(Back { batch: self, fit, net, rows, slopes });
    }

    #[inline(always)]
    fn slopes(&mut self, fit: &Fit<'_>, net: &Net, rows: &[u32], slopes: &mut [f64]) {
        let Shape { columns, units, classes } = net.shape;
        let count = rows.len();
        let residuals = &mut self.scores[..count * classes];
        softmax(residuals, classes);
        let mean = fit.labels.len() as f64 / (fit.total * count as f64);
        for (row, residual) in rows.iter().zip(residuals.chunks_exact_mut(classes)) {
            residual[fit.labels[*row as usize] as usize] -= 1.0;
            residual.iter_mut().for_each(|r| *r *= fit.weights[*row as usize] * mean);
        }
        let (answers, at_units) = (&self.answers[..count * units], &mut self.slopes[..count * units]);
        let (parts, out) = (net.shape.parts(&net.values), net.shape.parts_mut(slopes));
        outer_into(out.outputs, residuals, answers, count);
        product_into(at_units, parts.outputs, residuals, classes);
        at_units.iter_mut().zip(answers).for_each(|(slope, z)| *slope *= 1.0 - z * z);
        outer_into(out.directions, at_units, &self.points[..count * columns], count);
        add_up(out.thresholds, at_units);
        add_up(out.bias, residuals);
        let ridged = [(out.directions, parts.directions), (out.outputs, parts.outputs)];
        for (slopes, values) in ridged {
            slopes.iter_mut().zip(values).for_each(|(slope, value)| *slope += fit.ridge * value);
        }
    }
}

/// [`Batch::run`]; a struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Forth<'a> {
    batch: &'a mut Batch,
    fit: &'a Fit<'a>,
    net: &'a Net,
    rows: &'a [u32],
}

impl pulp::NullaryFnOnce for Forth<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.batch.forth(self.fit, self.net, self.rows);
    }
}

/// [`Batch::back`].
struct Back<'a> {
    batch: &'a mut Batch,
    fit: &'a Fit<'a>,
    net: &'a Net,
    rows: &'a [u32],
    slopes: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Back<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.batch.slopes(self.fit, self.net, self.rows, self.slopes);
    }
}

/// The sum of all rows.
#[inline(always)]
fn add_up(sums: &mut [f64], rows: &[f64]) {
    sums.fill(0.0);
    for row in rows.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
}

/// Scores to probabilities.
#[inline(always)]
fn softmax(scores: &mut [f64], classes: usize) {
    for row in scores.chunks_exact_mut(classes) {
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|h| *h -= most);
    }
    exp_all(scores);
    for row in scores.chunks_exact_mut(classes) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    }
}

impl Fit<'_> {
    fn shape(&self) -> Shape {
        Shape { columns: self.columns, units: self.units, classes: self.bias.len() }
    }

    /// The network of this number, from a beginning of its own; as far as time allows.
    pub fn solve(&self, number: usize, context: &Context) -> Net {
        let mut rng = context.stream(&format!("network/{number}"));
        let shape = self.shape();
        let mut net = Net::new(shape, self.bias, &mut rng);
        let size = batch(self.labels.len());
        let mut batch = Batch::new(shape, size);
        let mut adam = Adam::new(shape.len(), self.epochs * self.labels.len().div_ceil(size));
        let mut slopes = vec![0.0; shape.len()];
        let mut order: Vec<u32> = (0..self.labels.len() as u32).collect();
        for _ in 0..self.epochs {
            if context.asked_to_stop().is_some() {
                break;
            }
            for last in (1..order.len()).rev() {
                order.swap(last, below(last as u64 + 1, &mut rng) as usize);
            }
            for rows in order.chunks(size) {
                batch.run(self, &net, rows);
                batch.back(self, &net, rows, &mut slopes);
                adam.step(&mut net.values, &slopes);
            }
        }
        net
    }

    /// Mean log loss and share of mistakes of the mean of some networks on the rows of the fit.
    pub fn measure(&self, nets: &[Net], context: &Context) -> (f64, f64) {
        let (rows, classes) = (self.labels.len(), self.bias.len());
        let work = nets.len() * self.points.len() * self.units;
        let parts = context.map(rows.div_ceil(MEASURED), work, |part| {
            let rows: Vec<u32> = (part * MEASURED..((part + 1) * MEASURED).min(rows)).map(|row| row as u32).collect();
            let mut batch = Batch::new(self.shape(), rows.len());
            let mut scores = vec![0.0; rows.len() * classes];
            for net in nets {
                batch.run(self, net, &rows);
                scores.iter_mut().zip(&batch.scores).for_each(|(sum, h)| *sum += h / nets.len() as f64);
            }
            softmax(&mut scores, classes);
            let mut sums = (0.0, 0.0);
            for (row, p) in rows.iter().zip(scores.chunks_exact(classes)) {
                let (label, weight) = (self.labels[*row as usize] as usize, self.weights[*row as usize]);
                sums.0 -= weight * ln(p[label].max(1e-300));
                sums.1 += if crate::model::argmax(p) == label { 0.0 } else { weight };
            }
            sums
        });
        let sum = |of: fn(&(f64, f64)) -> f64| parts.iter().map(of).sum::<f64>() / self.total;
        (sum(|sums| sums.0), sum(|sums| sums.1))
    }
}

/// Means of slopes and of their squares.
struct Adam {
    slopes: Vec<f64>,
    squares: Vec<f64>,
    step: usize,
    steps: usize,
    /// What the zeros before the first step still count in the two means.
    before: (f64, f64),
}

impl Adam {
    fn new(length: usize, steps: usize) -> Adam {
        Adam { slopes: vec![0.0; length], squares: vec![0.0; length], step: 0, steps, before: (1.0, 1.0) }
    }

    fn step(&mut self, values: &mut [f64], slopes: &[f64]) {
        self.step += 1;
        self.before = (MEMORY.0 * self.before.0, MEMORY.1 * self.before.1);
        // From one to zero, level at both ends.
        let along = self.step as f64 / self.steps as f64;
        let fall = 1.0 - along * along * (3.0 - 2.0 * along);
        let size = STEP * fall * (1.0 - self.before.1).sqrt() / (1.0 - self.before.0);
        pulp::Arch::new().dispatch(Move { adam: self, values, slopes, size });
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Move<'a> {
    adam: &'a mut Adam,
    values: &'a mut [f64],
    slopes: &'a [f64],
    size: f64,
}

impl pulp::NullaryFnOnce for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Move { adam, values, slopes, size } = self;
        let means = adam.slopes.iter_mut().zip(&mut adam.squares);
        for ((value, slope), (mean, square)) in values.iter_mut().zip(slopes).zip(means) {
            *mean = MEMORY.0 * *mean + (1.0 - MEMORY.0) * slope;
            *square = MEMORY.1 * *square + (1.0 - MEMORY.1) * slope * slope;
            *value -= size * *mean / (square.sqrt() + FLAT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;
    use proptest::prelude::*;
    use rand::RngExt;

    /// Mean log loss with the ridge, by definition.
    fn value(fit: &Fit<'_>, net: &Net, context: &Context) -> f64 {
        let parts = net.shape.parts(&net.values);
        let squares = parts.directions.iter().chain(parts.outputs).map(|x| x * x).sum::<f64>();
        let clone = Net { values: net.values.clone(), shape: net.shape };
        fit.measure(&[clone], context).0 + 0.5 * fit.ridge * squares
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn slopes_are_numerical_derivatives(seed in any::<u64>(), rows in 2usize..20, columns in 1usize..4, classes in 2usize..4) {
            let mut rng = stream(seed, "network");
            let points: Vec<f32> = (0..rows * columns).map(|_| rng.random_range(-2.0..2.0)).collect();
            let labels: Vec<u32> = (0..rows).map(|row| (row % classes) as u32).collect();
            let weights: Vec<f64> = (0..rows).map(|_| rng.random_range(0.5..2.0)).collect();
            let total = weights.iter().sum();
            let bias = vec![0.0; classes];
            let fit = Fit { points: &points, columns, labels: &labels, weights: &weights, total, bias: &bias, units: 3, epochs: 1, ridge: 0.1 };
            let shape = fit.shape();
            let mut net = Net::new(shape, &bias, &mut rng);
            net.values.iter_mut().for_each(|x| *x = rng.random_range(-1.0..1.0));
            let all: Vec<u32> = (0..rows as u32).collect();
            let (mut batch, mut slopes) = (Batch::new(shape, rows), vec![0.0; shape.len()]);
            batch.run(&fit, &net, &all);
            batch.back(&fit, &net, &all, &mut slopes);
            let context = Context::new(0, 1).unwrap();
            for (i, slope) in slopes.iter().enumerate() {
                let (here, by) = (net.values[i], 1e-5);
                net.values[i] = here + by;
                let above = value(&fit, &net, &context);
                net.values[i] = here - by;
                let below = value(&fit, &net, &context);
                net.values[i] = here;
                prop_assert!(((above - below) / (2.0 * by) - slope).abs() < 1e-7, "{} {}", i, slope);
            }
        }
    }

    /// The loss falls far below that of the shares of the classes, and more epochs bring it lower.
    #[test]
    fn training_lowers_the_loss() {
        let mut rng = stream(7, "network");
        let points: Vec<f32> = (0..600).map(|_| rng.random_range(-2.0..2.0)).collect();
        let labels: Vec<u32> = points.chunks_exact(2).map(|p| u32::from(p[0] * p[1] > 0.0)).collect();
        let weights = vec![1.0; 300];
        let context = Context::new(0, 1).unwrap();
        let loss = |epochs: usize| {
            let fit = Fit {
                points: &points,
                columns: 2,
                labels: &labels,
                weights: &weights,
                total: 300.0,
                bias: &[0.0, 0.0],
                units: 16,
                epochs,
                ridge: 1e-3,
            };
            fit.measure(&[fit.solve(0, &context)], &context).0
        };
        let (few, many) = (loss(5), loss(100));
        assert!(many < 0.5 * few && few < 0.7, "{few} {many}");
    }
}
