//! A linear map: what PCA and LDA learn.

use crate::data::{Feature, FeatureKind};
use crate::model::similarity::{Coding, PointCoding};

/// Which method made a linear map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Principal components.
    Pca,
    /// Linear discriminants.
    Lda,
}

impl Kind {
    /// The method's name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pca => "pca",
            Kind::Lda => "lda",
        }
    }
}

/// Products of centred points with directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Who made it.
    pub kind: Kind,
    /// How rows become points.
    pub coding: PointCoding,
    /// What is subtracted from points.
    pub means: Vec<f64>,
    /// `[direction][coordinate]`.
    pub directions: Vec<f64>,
    /// Share of the variance (PCA), or of the variance between classes (LDA), of each direction.
    pub shares: Vec<f64>,
}

/// Columns named in a description.
const NAMED: usize = 4;

impl Linear {
    /// Number of directions.
    pub fn count(&self) -> usize {
        self.shares.len()
    }

    pub(super) fn write(&self, point: &[f64], out: &mut [f64]) {
        for (out, direction) in out.iter_mut().zip(self.directions.chunks_exact(self.means.len())) {
            let products = point.iter().zip(&self.means).zip(direction).map(|((x, mean), d)| (x - mean) * d);
            *out = products.sum();
        }
    }

    /// The heaviest columns of a direction and its share.
    pub(super) fn words(&self, output: usize, inputs: &[Feature]) -> String {
        let dimensions = self.means.len();
        let direction = &self.directions[output * dimensions..(output + 1) * dimensions];
        let names = names(&self.coding, inputs);
        let mut order: Vec<usize> = (0..dimensions).collect();
        order.sort_by(|a, b| direction[*b].abs().total_cmp(&direction[*a].abs()).then(a.cmp(b)));
        let part = |i: &usize| format!("{:+.2} {}", direction[*i], names[*i]);
        let mut parts: Vec<String> = order.iter().take(NAMED).map(part).collect();
        if dimensions > NAMED {
            parts.push(format!("and {} more", dimensions - NAMED));
        }
        let of = match self.kind {
            Kind::Pca => "of the variance",
            Kind::Lda => "of the variance between classes",
        };
        format!("{} ({:.1} % {of})", parts.join(", "), 100.0 * self.shares[output])
    }
}

/// What each coordinate is called.
fn names(coding: &PointCoding, inputs: &[Feature]) -> Vec<String> {
    let mut names = Vec::new();
    for coding in &coding.codings {
        let Some(feature) = inputs.get(coding.feature() as usize) else { continue };
        match (coding, &feature.kind) {
            (Coding::Levels { .. }, FeatureKind::Categorical(levels)) => {
                names.extend(levels.iter().map(|level| format!("{} = {level}", feature.name)));
            }
            _ => names.push(feature.name.clone()),
        }
        if let Coding::Numeric { indicator: true, .. } | Coding::Levels { indicator: true, .. } = coding {
            names.push(format!("{} missing", feature.name));
        }
    }
    names
}
