//! Which few quantities say what many columns say? Extraction makes new features out of old ones.
//!
//! Lecture: F. Fleuret, "Feature selection and Boosting", EPFL EE-613 (2019), "Feature extraction". Rows become points
//! first (design 5.2): numbers are centred and, unless `scaling=raw`, divided by their deviation; a category is one
//! coordinate a level; a missing value is the mean, with an indicator where missing is common. So missing values and
//! categories are welcome everywhere. Eigenvectors are found by `faer`.
//!
//! To add a method: a file with its fit and its map, a variant of [`Map`], one line in [`METHODS`], and a tag in
//! `model/file/steps.rs`.

pub mod isomap;
pub mod kmeans;
pub mod lda;
pub mod linear;
mod moments;
pub mod pca;

pub use isomap::Isomap;
pub use kmeans::Clusters;
pub use linear::Linear;

use crate::context::Context;
use crate::data::{Column, Dataset, Feature, FeatureKind, Features};
use crate::error::{Error, Result};
use crate::learner::similarity::{Scaling, scaled};
use crate::model::similarity::{Coding, PointCoding};
use crate::settings::{Kind, Parameter};
use crate::steps::{About, Spec};

/// A registered method of extraction.
pub struct Method {
    /// Name, paper and parameters.
    pub about: About,
    /// Whether it looks at the classes.
    pub supervised: bool,
    pub(crate) fit: fn(&Request<'_>, &mut Vec<String>) -> Result<Map>,
}

/// All methods, the default first.
pub static METHODS: &[Method] = &[pca::METHOD, lda::METHOD, kmeans::METHOD, isomap::METHOD];

/// Parameters of all methods, each once.
pub fn all_parameters() -> Vec<&'static Parameter> {
    let mut all: Vec<&'static Parameter> = Vec::new();
    for parameter in METHODS.iter().flat_map(|method| method.about.parameters) {
        if all.iter().all(|p| p.name != parameter.name) {
            all.push(parameter);
        }
    }
    all
}

/// `scaling`.
pub(crate) const SCALING: Parameter = Parameter {
    name: "scaling",
    kind: Kind::Choice(&["standard", "raw"]),
    default: "standard",
    help: "standard = numbers are divided by their deviation first, raw = they are taken as they are",
};

/// An extraction to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Method, number and parameters.
    pub spec: Spec,
}

impl Plan {
    /// Reads `NAME[:COUNT][,PARAMETER=VALUE]...`, such as `pca:10`.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Plan { spec: Spec::parse(text, METHODS.iter().map(|m| &m.about), "method of extraction")? })
    }

    /// The method.
    pub fn method(&self) -> &'static Method {
        let name = self.spec.about().name;
        METHODS.iter().find(|method| method.about.name == name).unwrap_or(&METHODS[0])
    }

    /// Learns the map from data. What is worth knowing goes to `notes`.
    pub fn fit(&self, data: &Dataset, context: &Context, notes: &mut Vec<String>) -> Result<Map> {
        if data.rows() < 2 {
            return Err(Error::data(format!("{} needs two rows", self.spec.about().name)));
        }
        let mut coding = scaled(data, Scaling::Standard, context);
        if coding.codings.is_empty() {
            return Err(Error::data("every feature has one value only, so nothing can be extracted"));
        }
        if self.spec.word("scaling")? == "raw" {
            for coding in &mut coding.codings {
                if let Coding::Numeric { scale, .. } = coding {
                    *scale = scale.signum();
                }
            }
        }
        let map = (self.method().fit)(&Request { data, coding, spec: &self.spec, context }, notes)?;
        if map.numbers().any(|x| x.is_nan() || x.abs() > LARGEST) {
            return Err(Error::data(format!("{} meets numbers too large or too small", self.spec.about().name))
                .hint("use scaling=standard, or change the units of the columns"));
        }
        Ok(map)
    }
}

/// What a method works on.
pub(crate) struct Request<'a> {
    pub data: &'a Dataset,
    pub coding: PointCoding,
    pub spec: &'a Spec,
    pub context: &'a Context,
}

impl Request<'_> {
    /// The number of features asked for, or as many as there can be.
    fn at_most(&self, most: usize, why: &str, notes: &mut Vec<String>) -> usize {
        if self.spec.count > most {
            let name = self.spec.about().name;
            notes.push(format!("{name} makes {most} of the {} features asked for: {why}", self.spec.count));
        }
        self.spec.count.min(most)
    }
}

/// A learned map from rows to new features.
#[derive(Clone, Debug, PartialEq)]
pub enum Map {
    /// PCA and LDA.
    Linear(Linear),
    /// k-means.
    Clusters(Clusters),
    /// Isomap.
    Isomap(Isomap),
}

impl Map {
    /// How rows become points.
    pub fn coding(&self) -> &PointCoding {
        match self {
            Map::Linear(map) => &map.coding,
            Map::Clusters(map) => &map.coding,
            Map::Isomap(map) => &map.coding,
        }
    }

    /// The features it makes.
    pub fn outputs(&self) -> Vec<Feature> {
        let numbers = |name: &str, count: usize| -> Vec<Feature> {
            (1..=count).map(|i| Feature { name: format!("{name}{i}"), kind: FeatureKind::Numeric }).collect()
        };
        match self {
            Map::Linear(map) => numbers(map.kind.name(), map.count()),
            Map::Isomap(map) => numbers("isomap", map.count()),
            Map::Clusters(map) if map.distances => numbers("kmeans", map.count()),
            Map::Clusters(map) => {
                vec![Feature { name: "kmeans".into(), kind: FeatureKind::Categorical(map.names()) }]
            }
        }
    }

    /// The new features of rows. Without a context on the caller's thread; the result is the same.
    pub fn apply(&self, features: &Features, context: Option<&Context>) -> Vec<Column> {
        let dimensions = self.coding().dimensions();
        match self {
            Map::Linear(map) => {
                let write = |points: &[f64], out: &mut [f64]| map.write(points, out);
                numbers(&map.coding, features, context, map.count(), dimensions * map.count(), write)
            }
            Map::Isomap(map) => {
                let write = |points: &[f64], out: &mut [f64]| map.write(points, out);
                numbers(&map.coding, features, context, map.count(), dimensions * map.landmarks(), write)
            }
            Map::Clusters(map) if map.distances => {
                let write = |points: &[f64], out: &mut [f64]| map.write(points, out);
                numbers(&map.coding, features, context, map.count(), dimensions * map.count(), write)
            }
            Map::Clusters(map) => {
                let nearest = |points: &[f64], out: &mut [f64]| out[0] = map.nearest(points) as f64;
                let codes = values(&map.coding, features, context, 1, dimensions * map.count(), nearest);
                vec![map.column(codes.into_iter().map(|code| code as u32).collect())]
            }
        }
    }

    /// All numbers that a file holds of it, besides the coding.
    fn numbers(&self) -> impl Iterator<Item = &f64> {
        let parts: [&[f64]; 3] = match self {
            Map::Linear(map) => [&map.means, &map.directions, &map.shares],
            Map::Clusters(map) => [&map.centres, &[], &[]],
            Map::Isomap(map) => [&map.points, &map.projection, &map.offsets],
        };
        parts.into_iter().flatten()
    }

    /// What a new feature is made of, in words, if it can be said.
    pub fn words(&self, output: usize, inputs: &[Feature]) -> String {
        match self {
            Map::Linear(map) => map.words(output, inputs),
            Map::Clusters(map) => map.words(inputs.len()),
            Map::Isomap(map) => map.words(inputs.len()),
        }
    }
}

/// Numbers of a map are at most this, so that sums of products are finite; model files hold no larger ones.
const LARGEST: f64 = 1e100;

/// Rows of a block.
const BLOCK: usize = 256;

/// New values of all rows, `[row][value]`: `write` turns a point into `count` values.
fn values(
    coding: &PointCoding,
    features: &Features,
    context: Option<&Context>,
    count: usize,
    work: usize,
    write: impl Fn(&[f64], &mut [f64]) + Sync + Send,
) -> Vec<f64> {
    let mut out = vec![0.0; features.rows * count];
    let dimensions = coding.dimensions();
    let fill = |block: usize, out: &mut [f64]| {
        let points = coding.coordinates(features, block * BLOCK, out.len() / count);
        points.chunks_exact(dimensions).zip(out.chunks_exact_mut(count)).for_each(|(point, out)| write(point, out));
    };
    match context {
        Some(context) => {
            context.map_parts(&mut out, BLOCK * count, features.rows * work, fill);
        }
        None => out.chunks_mut(BLOCK * count).enumerate().for_each(|(i, out)| fill(i, out)),
    }
    out
}

/// The same as numeric columns.
fn numbers(
    coding: &PointCoding,
    features: &Features,
    context: Option<&Context>,
    count: usize,
    work: usize,
    write: impl Fn(&[f64], &mut [f64]) + Sync + Send,
) -> Vec<Column> {
    let values = values(coding, features, context, count, work, write);
    (0..count).map(|i| Column::numeric(values[i..].iter().step_by(count).copied().collect())).collect()
}

/// The points of all rows of a data set: `[row][coordinate]`.
fn points(request: &Request<'_>) -> Vec<f64> {
    let dimensions = request.coding.dimensions();
    let copy = |point: &[f64], out: &mut [f64]| out.copy_from_slice(point);
    let Request { data, coding, context, .. } = request;
    values(coding, &data.features, Some(context), dimensions, dimensions, copy)
}

/// Squared distance of two points, summed in order.
#[inline]
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
