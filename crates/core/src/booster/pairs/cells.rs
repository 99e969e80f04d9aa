//! Rows at one point with one class are one row with their joint weight, so that a row of weight two is the row
//! twice. Cells are ordered by what they hold and not by where rows stand, so that neither the order of rows nor their
//! repetition changes a random pair.

use crate::learner::similarity::hash;
use crate::model::similarity::Points;

/// The distinct rows.
pub struct Cells {
    /// The first row of each.
    pub rows: Vec<u32>,
    /// Its class.
    pub labels: Vec<u32>,
    /// Joint weight.
    pub weights: Vec<f64>,
    /// The cell of each row; of no meaning for a row without weight.
    pub of_row: Vec<u32>,
}

impl Cells {
    /// Gathers rows; those without weight are left out.
    pub fn new(points: &Points, labels: &[u32], weights: &[f64]) -> Cells {
        let bits = |row: u32| points.row(row as usize).iter().map(|x| x.to_bits());
        // A hash first: comparing long points is dear.
        let mut order: Vec<(u64, u32)> = (0..labels.len() as u32)
            .filter(|row| weights[*row as usize] > 0.0)
            .map(|row| (hash(points.row(row as usize)), row))
            .collect();
        let label = |row: u32| labels[row as usize];
        order.sort_by(|(g, a), (h, b)| {
            g.cmp(h).then_with(|| bits(*a).cmp(bits(*b))).then(label(*a).cmp(&label(*b))).then(a.cmp(b))
        });
        let mut cells =
            Cells { rows: Vec::new(), labels: Vec::new(), weights: Vec::new(), of_row: vec![0; labels.len()] };
        let same = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && label(a.1) == label(b.1) && bits(a.1).eq(bits(b.1));
        for cell in order.chunk_by(same) {
            cell.iter().for_each(|(_, row)| cells.of_row[*row as usize] = cells.rows.len() as u32);
            cells.rows.push(cell[0].1);
            cells.labels.push(label(cell[0].1));
            cells.weights.push(cell.iter().map(|(_, row)| weights[*row as usize]).sum());
        }
        cells
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How much of each cell is left out at a time: all of it, but no more than the lower quartile of its class. Where
    /// rows repeat, as they do if all features are categories, leaving out every row of a class at a point would only
    /// show what the other classes look like there. By weight and not by count, so that a row of weight two is the
    /// row twice.
    pub fn units(&self, classes: usize) -> Vec<f64> {
        let mut of_class = vec![Vec::new(); classes];
        self.labels.iter().zip(&self.weights).for_each(|(k, w)| of_class[*k as usize].push(*w));
        let quartile: Vec<f64> = of_class
            .iter_mut()
            .map(|weights| {
                weights.sort_by(f64::total_cmp);
                weights.get(weights.len() / 4).copied().unwrap_or(0.0)
            })
            .collect();
        self.labels.iter().zip(&self.weights).map(|(k, w)| w.min(quartile[*k as usize])).collect()
    }
}
