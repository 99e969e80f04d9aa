//! Centres and shapes of classes, and what each row would be if it had not been seen.

use super::FREEDOM;
use crate::booster::pairs::{Cells, LeftOut};
use crate::booster::whole::log_share;
use crate::context::Context;
use crate::data::Features;
use crate::error::Result;
use crate::linear::{Cholesky, Symmetric};
use crate::math::ln;
use crate::model::{Axis, Ellipse};

/// Rows whose squares are summed up together.
const BLOCK: usize = 1024;
/// Variance within classes that a column has at least, as a share of its variance: one that tells classes apart without
/// fail would be trusted without end.
const LEAST: f64 = 1e-4;

/// How much the shape of a class is its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Share of the rows of all classes in it.
    pub pooling: f64,
    /// Rows that the diagonal counts for.
    pub prior: f64,
}

/// What rows of a class say of it.
pub struct Class {
    pub weight: f64,
    /// From its centre: a missing value is at the centre of every class.
    axes: Vec<Axis>,
    /// Weighted squares of its rows about the centre.
    scatter: Symmetric,
}

/// All classes.
pub struct Classes {
    /// `None` for a class without rows.
    pub each: Vec<Option<Class>>,
    /// The sum of the scatters.
    pooled: Symmetric,
    /// Mean square of each column within classes.
    pub within: Vec<f64>,
    total: f64,
}

/// A class as it is remembered.
pub struct Bell {
    /// Its reach is one.
    pub ellipse: Ellipse,
    /// The score at its centre, times the number of columns.
    pub height: f64,
}

/// How far the logarithm of the distribution has fallen at a squared distance, for so many columns.
pub fn fall(squared: f64, columns: usize) -> f64 {
    0.5 * (FREEDOM + columns as f64) * ln(1.0 + squared / FREEDOM)
}

/// The mean square of a column within classes, from the sum of the squares; at least a share of what it is about the mean of all.
fn within(column: usize, squares: f64, each: &[Option<Class>], total: f64) -> f64 {
    let centres = || each.iter().flatten().map(|class| (class.weight, class.axes[column].centre));
    let mean = centres().map(|(w, c)| w * c).sum::<f64>() / total;
    let between: f64 = centres().map(|(w, c)| w * (c - mean) * (c - mean)).sum();
    let least = LEAST * (squares + between) / total;
    // A column that is known where there is no weight only.
    if least > 0.0 { (squares / total).max(least) } else { 1.0 }
}

impl Classes {
    /// Of all rows with weight.
    pub fn new(axes: &[Axis], features: &Features, cells: &Cells, count: usize, context: &Context) -> Self {
        let size = axes.len();
        let mut members = vec![Vec::new(); count];
        cells.labels.iter().enumerate().for_each(|(cell, label)| members[*label as usize].push(cell));
        let work = cells.len() * size * (size + 8) / 2;
        let each = context.map(count, work, |k| Class::new(axes, features, cells, &members[k], context));
        let mut pooled = Symmetric::zero(size);
        for class in each.iter().flatten() {
            pooled.values.iter_mut().zip(&class.scatter.values).for_each(|(sum, x)| *sum += x);
        }
        let total: f64 = cells.weights.iter().sum();
        let within = (0..size).map(|i| within(i, pooled.values[i * (size + 1)], &each, total)).collect();
        Classes { each, pooled, within, total }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.within.len()
    }

    /// The weight behind the shape of a class.
    fn behind(&self, class: &Class, setting: &Setting) -> f64 {
        (1.0 - setting.pooling) * class.weight + setting.pooling * self.total + setting.prior
    }

    /// The shape of a class times the weight behind it.
    fn shape(&self, class: &Class, setting: &Setting) -> Result<Cholesky> {
        let Setting { pooling, prior } = *setting;
        let mixed = |(own, all): (&f64, &f64)| (1.0 - pooling) * own + pooling * all;
        let values = class.scatter.values.iter().zip(&self.pooled.values).map(mixed).collect();
        Cholesky::new(&Symmetric { size: self.columns(), values }, |i| prior * self.within[i])
    }

    /// The bell of each class.
    pub fn bells(&self, setting: &Setting, context: &Context) -> Result<Vec<Option<Bell>>> {
        let size = self.columns();
        let made = context.map(self.each.len(), self.each.len() * size * size * size, |k| {
            let Some(class) = &self.each[k] else { return Ok(None) };
            let (shape, behind) = (self.shape(class, setting)?, self.behind(class, setting));
            let root = behind.sqrt();
            let mut inverse = Symmetric::zero(size).values;
            (0..size).for_each(|i| inverse[i * (size + 1)] = root);
            shape.half_solve(&mut inverse);
            let row = |i: usize| (0..=i).map(move |j| (i, j));
            let factor = (0..size).flat_map(row).map(|(i, j)| inverse[j * size + i]).collect();
            let ellipse = Ellipse { axes: class.axes.clone(), factor, freedom: FREEDOM, reach: 1.0 };
            let spread = 2.0 * shape.log_diagonal() - size as f64 * ln(behind);
            Ok(Some(Bell { ellipse, height: log_share(class.weight / self.total) - 0.5 * spread }))
        });
        made.into_iter().collect()
    }

    /// Scores of the rows left out, which stand there (`[row][column]`), by classes that have not seen them: `[row][class]`.
    ///
    /// Without a unit u of a row x of class c, its weight is W' = W - u, its centre m - u (x - m) / W', and S_c and S lose u W / W' times the
    /// outer product of x - m; so inverse and determinant follow from those of all rows (Sherman and Morrison; Friedman 1989, section 4.1).
    pub fn left_out(
        &self,
        setting: &Setting,
        stands: &[f64],
        left_out: &LeftOut,
        context: &Context,
    ) -> Result<Vec<f64>> {
        let (count, size, rows) = (self.each.len(), self.columns(), left_out.labels.len());
        let work = count * size * size * (size / 3 + rows);
        let columns = context.map(count, work, |k| {
            let Some(class) = &self.each[k] else { return Ok(vec![f64::NEG_INFINITY; rows]) };
            let shape = self.shape(class, setting)?;
            let (behind, spread) = (self.behind(class, setting), 2.0 * shape.log_diagonal());
            // The rows from this centre, and from that of their own class.
            let mut away = class.away(stands);
            shape.half_solve(&mut away);
            let mut own: Vec<f64> = Vec::new();
            if setting.pooling > 0.0 {
                for (stands, label) in stands.chunks_exact(size).zip(&left_out.labels) {
                    own.extend(self.each[*label as usize].as_ref().unwrap_or(class).away(stands));
                }
                shape.half_solve(&mut own);
            }
            let score = |(i, away): (usize, &[f64])| {
                let label = left_out.labels[i] as usize;
                let (unit, weight) = (left_out.units[i], self.each[label].as_ref().map_or(0.0, |c| c.weight));
                let stretch = weight / (weight - unit);
                let of = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let (square, left, lost, share) = if label == k {
                    let square = of(away, away);
                    let left = (1.0 - unit * stretch * square).max(1e-12);
                    (stretch * stretch * square / left, left, unit, weight - unit)
                } else if setting.pooling > 0.0 {
                    let own = &own[i * size..][..size];
                    let taken = setting.pooling * unit * stretch;
                    let left = (1.0 - taken * of(own, own)).max(1e-12);
                    let cross = of(own, away);
                    (of(away, away) + taken * cross * cross / left, left, setting.pooling * unit, class.weight)
                } else {
                    (of(away, away), 1.0, 0.0, class.weight)
                };
                let behind = behind - lost;
                let spread = spread + ln(left) - size as f64 * ln(behind);
                (log_share(share / (self.total - unit)) - fall(square * behind, size) - 0.5 * spread) / size as f64
            };
            Ok(away.chunks_exact(size).enumerate().map(score).collect::<Vec<f64>>())
        });
        let columns: Vec<Vec<f64>> = columns.into_iter().collect::<Result<_>>()?;
        let mut scores: Vec<f64> = (0..rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        for scores in scores.chunks_exact_mut(count) {
            let lowest = scores.iter().copied().filter(|h| h.is_finite()).fold(f64::INFINITY, f64::min);
            let unknown = scores.iter_mut().filter(|h| !h.is_finite());
            unknown.for_each(|h| *h = lowest + log_share(0.0) / size as f64);
        }
        Ok(scores)
    }
}

impl Class {
    fn new(axes: &[Axis], features: &Features, cells: &Cells, members: &[usize], context: &Context) -> Option<Class> {
        let weight: f64 = members.iter().map(|cell| cells.weights[*cell]).sum();
        if members.is_empty() {
            return None;
        }
        let row = |cell: &usize| cells.rows[*cell] as usize;
        let centred = |axis: &Axis| {
            let (mut sum, mut known) = (0.0, 0.0);
            for cell in members {
                let stands = axis.stands(features, row(cell));
                if !stands.is_nan() {
                    sum += cells.weights[*cell] * stands;
                    known += cells.weights[*cell];
                }
            }
            Axis { centre: if known > 0.0 { sum / known } else { 0.0 }, ..*axis }
        };
        let mut class =
            Class { weight, axes: axes.iter().map(centred).collect(), scatter: Symmetric::zero(axes.len()) };
        for members in members.chunks(BLOCK) {
            let away = |axis: &Axis| {
                members.iter().map(|cell| axis.away(axis.stands(features, row(cell)))).collect::<Vec<f64>>()
            };
            let places = class.axes.iter().flat_map(away).collect::<Vec<f64>>();
            let weights = members.iter().map(|cell| cells.weights[*cell]).cycle();
            let weighted: Vec<f64> = places.iter().zip(weights).map(|(place, weight)| place * weight).collect();
            class.scatter.add(&places, &weighted, context);
        }
        Some(class)
    }

    /// Rows from the centre, `[row][column]`.
    fn away(&self, stands: &[f64]) -> Vec<f64> {
        stands.iter().zip(self.axes.iter().cycle()).map(|(stands, axis)| axis.away(*stands)).collect()
    }
}
