//! Linear discriminants: the directions that push the means of the classes apart while no class is spread (lecture,
//! "Feature extraction"; R. A. Fisher, 1936; C. R. Rao, 1948).
//!
//! They solve S_b w = lambda S_w w. With S_w = L L' and S_b = M M' (a column sqrt(P(k)) (mean of class k - mean) for
//! each class), q the eigenvectors of the K x K matrix (L^-1 M)' (L^-1 M) give w = L'^-1 (L^-1 M) q / sqrt(lambda), which
//! has variance one within classes. If S_w is singular (columns that depend on each other, few rows, categories, whose
//! levels add up to one), its diagonal is raised until it is not, and a note says so; `shrinkage` chooses by how much.

use super::linear::Kind;
use super::pca::MOST;
use super::{Linear, Map, Method, Request, SCALING, moments};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Cholesky, Symmetric, eigen, make_positive, product};
use crate::settings::{self, Parameter};
use crate::steps::About;

/// The method `lda`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "lda",
        summary: "linear discriminants: directions that push class means apart; at most one fewer than classes",
        paper: "R. A. Fisher, 1936; C. R. Rao, 1948; EPFL EE-613, LDA",
        count: 10,
        parameters: &[SCALING, SHRINKAGE],
    },
    supervised: true,
    fit,
};

const SHRINKAGE: Parameter = Parameter {
    name: "shrinkage",
    kind: settings::Kind::RealOrAuto(0.0, 1.0),
    default: "auto",
    help: "how far the covariance within classes is moved to a multiple of the unit matrix; auto = only as far as it must be",
};

/// A pivot smaller than this share of its diagonal entry makes a matrix singular.
const SINGULAR: f64 = 1e-9;
/// What `auto` tries in turn.
const TRIED: [f64; 6] = [0.0, 1e-6, 1e-4, 1e-2, 0.1, 1.0];
/// Between-class variance below this share of the largest is rounding.
const LEAST: f64 = 1e-12;

fn fit(request: &Request<'_>, notes: &mut Vec<String>) -> Result<Map> {
    let (data, dimensions) = (request.data, request.coding.dimensions());
    if dimensions > MOST {
        let message = format!("lda is for at most {MOST} coordinates, and there are {dimensions}");
        return Err(Error::new(ErrorKind::Limit, message).hint("select features first, such as --select mim:1000"));
    }
    let (weights, means) = moments::class_means(request);
    let mean = moments::mean(&weights, &means);
    let within = moments::scatter(request, |row| &means[data.labels[row] as usize * dimensions..][..dimensions]);
    let factor = factor(&within, request.spec.real_or_auto("shrinkage")?, notes)?;
    let total: f64 = weights.iter().sum();
    let mut between = means;
    for (class, weight) in between.chunks_exact_mut(dimensions).zip(&weights) {
        let root = (weight / total).sqrt();
        class.iter_mut().zip(&mean).for_each(|(x, mean)| *x = (*x - mean) * root);
    }
    factor.half_solve(&mut between);
    let classes = weights.len();
    let small = Symmetric { size: classes, values: product(&between, &between, dimensions) };
    let (values, vectors) = eigen(&small)?;
    let apart = values.iter().take(classes - 1).filter(|v| **v > LEAST * values[0] && **v > 0.0).count();
    if apart == 0 {
        return Err(Error::data("the means of the classes are all alike, so lda finds no direction")
            .hint("pca does not look at the classes"));
    }
    let count = request.at_most(apart, "there is one direction fewer than classes, or than their means span", notes);
    let mut directions = vec![0.0; count * dimensions];
    for ((direction, q), value) in
        directions.chunks_exact_mut(dimensions).zip(vectors.chunks_exact(classes)).zip(&values)
    {
        for (class, q) in between.chunks_exact(dimensions).zip(q) {
            direction.iter_mut().zip(class).for_each(|(d, x)| *d += q * x / value.sqrt());
        }
    }
    factor.back_solve(&mut directions);
    directions.chunks_exact_mut(dimensions).for_each(make_positive);
    let total: f64 = values.iter().take(apart).sum();
    let shares = values[..count].iter().map(|v| v / total).collect();
    Ok(Map::Linear(Linear { kind: Kind::Lda, coding: request.coding.clone(), means: mean, directions, shares }))
}

/// The factor of the covariance, moved as far as asked or needed.
fn factor(within: &Symmetric, asked: Option<f64>, notes: &mut Vec<String>) -> Result<Cholesky> {
    let size = within.size;
    let trace: f64 = (0..size).map(|i| within.values[i * (size + 1)]).sum();
    // Classes that are points each: any multiple of the unit matrix will do.
    let unit = if trace > 0.0 { trace / size as f64 } else { 1.0 };
    let asked = asked.map(|shrinkage| [shrinkage]);
    for &shrinkage in asked.as_ref().map_or(TRIED.as_slice(), |asked| asked.as_slice()) {
        let mut moved = within.clone();
        moved.values.iter_mut().for_each(|x| *x *= 1.0 - shrinkage);
        (0..size).for_each(|i| moved.values[i * (size + 1)] += shrinkage * unit);
        match Cholesky::new(&moved, |_| 0.0) {
            Ok(factor) if asked.is_some() || factor.smallest_pivot(&moved) > SINGULAR => {
                if asked.is_none() && shrinkage > 0.0 {
                    notes.push(format!(
                        "lda: the covariance within classes is singular; shrinkage={shrinkage} was used"
                    ));
                }
                return Ok(factor);
            }
            _ => {}
        }
    }
    Err(Error::data("the covariance within classes is singular").hint("use a larger shrinkage, or auto"))
}
