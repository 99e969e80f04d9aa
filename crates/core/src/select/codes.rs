//! Features as a byte a row: any number of values, any weights. Missing is a value of its own.

use super::information::{Informant, XLnX, bits};
use crate::binning::{BinMap, MISSING_BIN};
use crate::context::Context;
use crate::data::{Dataset, FeatureKind};

/// Discrete features, `[feature][row]`.
pub(super) struct Codes<'a> {
    data: &'a Dataset,
    codes: Vec<u8>,
    /// Number of values of each feature.
    sizes: Vec<usize>,
    x_ln_x: XLnX,
    /// Sum of weights, and the sum of c ln c over classes.
    total: f64,
    of_class: f64,
}

/// The codes of one feature, counting up from zero, and how many there are.
pub(super) fn coded(data: &Dataset, feature: usize, levels: usize) -> (Vec<u8>, usize) {
    let column = &data.features.columns[feature];
    let map = match &data.schema.features[feature].kind {
        FeatureKind::Numeric => BinMap::numeric(column, &data.weights, levels),
        FeatureKind::Categorical(names) => {
            BinMap::categorical(column, names.len(), &data.weights, crate::binning::MAX_BINS)
        }
    };
    let mut codes = map.apply(column);
    let mut number = [MISSING_BIN; 256];
    codes.iter().for_each(|code| number[*code as usize] = 0);
    let mut size = 0usize;
    for place in number.iter_mut().filter(|place| **place == 0) {
        *place = size as u8;
        size += 1;
    }
    codes.iter_mut().for_each(|code| *code = number[*code as usize]);
    (codes, size)
}

impl<'a> Codes<'a> {
    pub fn new(data: &'a Dataset, features: &[usize], levels: usize, context: &Context) -> Self {
        let rows = data.rows();
        let mut codes = vec![0; rows * features.len()];
        let work = rows * features.len() * 8;
        let sizes = context.map_parts(&mut codes, rows, work, |i, out| {
            let (codes, size) = coded(data, features[i], levels);
            out.copy_from_slice(&codes);
            size
        });
        let x_ln_x = XLnX::new(&data.weights);
        let mut classes = vec![0.0; data.class_count()];
        data.labels.iter().zip(&data.weights).for_each(|(y, w)| classes[*y as usize] += w);
        let of_class = classes.iter().map(|c| x_ln_x.at(*c)).sum();
        Codes { data, codes, sizes, x_ln_x, total: classes.iter().sum(), of_class }
    }

    fn column(&self, feature: usize) -> &[u8] {
        &self.codes[feature * self.data.rows()..][..self.data.rows()]
    }

    /// Sum of c ln c over cells.
    fn sum(&self, cells: &[f64]) -> f64 {
        cells.iter().filter(|c| **c > 0.0).map(|c| self.x_ln_x.at(*c)).sum()
    }
}

impl Informant for Codes<'_> {
    fn features(&self) -> usize {
        self.sizes.len()
    }

    fn work(&self) -> usize {
        self.data.rows()
    }

    fn alone(&self, feature: usize, scratch: &mut Vec<f64>) -> f64 {
        let size = self.sizes[feature];
        let classes = self.data.class_count();
        scratch.clear();
        scratch.resize((classes + 1) * size, 0.0);
        let (joint, of_feature) = scratch.split_at_mut(classes * size);
        for ((x, y), w) in self.column(feature).iter().zip(&self.data.labels).zip(&self.data.weights) {
            joint[*y as usize * size + *x as usize] += w;
        }
        for class in joint.chunks_exact(size) {
            of_feature.iter_mut().zip(class).for_each(|(sum, c)| *sum += c);
        }
        let apart = self.sum(joint) - self.sum(of_feature);
        bits((apart - self.of_class) / self.total + crate::math::ln(self.total))
    }

    fn given(&self, feature: usize, other: usize, scratch: &mut Vec<f64>) -> f64 {
        let (size, others) = (self.sizes[feature], self.sizes[other]);
        let classes = self.data.class_count();
        let cells = others * size;
        scratch.clear();
        // All three, then the two features, the other and the class, the other.
        scratch.resize(classes * cells + cells + classes * others + others, 0.0);
        let (joint, rest) = scratch.split_at_mut(classes * cells);
        let (both, rest) = rest.split_at_mut(cells);
        let (with_class, of_other) = rest.split_at_mut(classes * others);
        let rows = self.column(feature).iter().zip(self.column(other));
        for (((x, z), y), w) in rows.zip(&self.data.labels).zip(&self.data.weights) {
            joint[(*y as usize * others + *z as usize) * size + *x as usize] += w;
        }
        for (k, class) in joint.chunks_exact(cells).enumerate() {
            both.iter_mut().zip(class).for_each(|(sum, c)| *sum += c);
            for (z, values) in class.chunks_exact(size).enumerate() {
                let sum: f64 = values.iter().sum();
                with_class[k * others + z] = sum;
                of_other[z] += sum;
            }
        }
        // Grouped so that a copy of the other feature gives exactly nothing.
        let known = self.sum(joint) - self.sum(with_class);
        bits((known - (self.sum(both) - self.sum(of_other))) / self.total)
    }
}
