//! How much of a model each feature makes up, without any data.
//!
//! A term counts by the size of its outputs, less what they add to all classes alike. A tree is shared among its questions,
//! a direction among its columns by the sizes of their weights (as is each question of a tree in turned coordinates), an ellipse by what each alone adds to the squared distance, a committee among its voters by the sizes of their votes, a comparison of two rows among the features by their parts
//! in the squared distance of the two. In a whitened metric that distance is s' W'W s, s being the difference of the rows before whitening: feature c has the part s_c (W'W s)_c, and
//! none where correlations make it negative.

use crate::model::similarity::{Form, PointCoding, Whitening};
use crate::model::{Model, Ramp, Similarity, Supports, Voter, WeakModel};

/// One share a feature; they sum to one, or are all zero in a model that answers all rows alike.
pub fn feature_shares(model: &Model) -> Vec<f64> {
    let mut shares = vec![0.0; model.schema.features.len()];
    for term in &model.chain.terms {
        let vectors = term.output.chunks_exact(model.class_count());
        let size = vectors.clone().map(size).sum::<f64>() / vectors.len() as f64;
        for (feature, part) in parts(&term.learner, model) {
            shares[feature as usize] += size * part;
        }
    }
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        shares.iter_mut().for_each(|share| *share /= sum);
    }
    shares
}

/// The features of a learner and the part of each, which sum to one; none if it answers all rows alike.
fn parts(learner: &WeakModel, model: &Model) -> Vec<(u32, f64)> {
    let mut parts: Vec<(u32, f64)> = match learner {
        WeakModel::Tree(_) | WeakModel::Regions(_) | WeakModel::Slope(_) => {
            learner.features().into_iter().map(|feature| (feature, 1.0)).collect()
        }
        WeakModel::Direction(direction) | WeakModel::Ramp(Ramp { direction, .. }) => direction.parts().collect(),
        WeakModel::Ellipse(ellipse) => ellipse.parts().collect(),
        WeakModel::Turned(tree) => tree.asked().collect(),
        WeakModel::Committee(committee) => {
            let of = |voter: &Voter| {
                let vote = voter.vote.abs();
                parts(&voter.learner, model).into_iter().map(move |(feature, part)| (feature, vote * part))
            };
            committee.voters.iter().flat_map(of).collect()
        }
        WeakModel::Similarity(learner) => match model.chain.supports.get(learner.metric as usize) {
            Some(supports) => compared(learner, supports),
            None => Vec::new(),
        },
    };
    let whole: f64 = parts.iter().map(|(_, part)| part).sum();
    parts.retain(|(_, part)| *part > 0.0);
    parts.iter_mut().for_each(|(_, part)| *part /= whole);
    parts
}

/// What an output adds to all classes alike changes no answer.
fn size(output: &[f64]) -> f64 {
    let mean = output.iter().sum::<f64>() / output.len() as f64;
    output.iter().map(|a| (a - mean).abs()).sum()
}

/// The part of each feature in what a learner compares.
fn compared(learner: &Similarity, supports: &Supports) -> Vec<(u32, f64)> {
    let dimensions = supports.coding.dimensions();
    let point = |support: u32| supports.points.row(support as usize)[..dimensions].iter().map(|x| f64::from(*x));
    let apart: Vec<f64> = match learner.form {
        Form::Always => return Vec::new(),
        // From the centre of the data.
        Form::One { support, .. } => point(support).collect(),
        Form::Two { supports: [i, j], .. } => point(i).zip(point(j)).map(|(x, y)| x - y).collect(),
    };
    let mut parts: Vec<f64> = apart.iter().map(|x| x * x).collect();
    if let Some(whitening) = &supports.coding.whitening {
        let places = supports.coding.numbers();
        let numbers: Vec<f64> = places.iter().map(|place| apart[*place]).collect();
        places
            .iter()
            .zip(before_whitening(whitening, &numbers))
            .for_each(|(place, part)| parts[*place] = part.max(0.0));
    }
    by_feature(&supports.coding, &parts)
}

/// s_c (W'z)_c for z = W s, where W is lower triangular.
fn before_whitening(whitening: &Whitening, whitened: &[f64]) -> Vec<f64> {
    let mut s = vec![0.0; whitened.len()];
    let mut slopes = vec![0.0; whitened.len()];
    let mut row: &[f32] = &whitening.rows;
    for (i, z) in whitened.iter().enumerate() {
        let (entries, rest) = row.split_at(i + 1);
        row = rest;
        let known: f64 = entries[..i].iter().zip(&s).map(|(w, s)| f64::from(*w) * s).sum();
        let diagonal = f64::from(entries[i]);
        s[i] = if diagonal == 0.0 { 0.0 } else { (z - known) / diagonal };
        slopes.iter_mut().zip(entries).for_each(|(slope, w)| *slope += f64::from(*w) * z);
    }
    s.iter().zip(&slopes).map(|(s, slope)| s * slope).collect()
}

fn by_feature(coding: &PointCoding, parts: &[f64]) -> Vec<(u32, f64)> {
    let mut offset = 0;
    let sum = |coding: &crate::model::similarity::Coding| {
        let from = offset;
        offset += coding.dimensions();
        (coding.feature(), parts[from..offset].iter().sum())
    };
    coding.codings.iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The parts make up the whole distance, and each is that of its feature where nothing is correlated.
        #[test]
        fn parts_make_up_the_distance(entries in prop::collection::vec(0.1..2.0f32, 10), z in prop::array::uniform4(-3.0..3.0f64)) {
            let parts = before_whitening(&Whitening { rows: entries.clone() }, &z);
            let whole: f64 = z.iter().map(|z| z * z).sum();
            prop_assert!((parts.iter().sum::<f64>() - whole).abs() < 1e-6 * (1.0 + parts.iter().map(|p| p.abs()).sum::<f64>()));
            let mut diagonal = vec![0.0; 10];
            [0, 2, 5, 9].iter().for_each(|&place| diagonal[place] = entries[place]);
            for (part, z) in before_whitening(&Whitening { rows: diagonal }, &z).iter().zip(&z) {
                prop_assert!((part - z * z).abs() < 1e-9 * (1.0 + z * z));
            }
        }
    }
}
