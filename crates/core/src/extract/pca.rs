//! Principal components: the directions of largest variance (lecture, "Feature extraction"; K. Pearson, 1901).
//!
//! Eigenvectors of the weighted covariance; with more coordinates than rows, of the matrix of products of rows, which
//! has the same eigenvalues. Each direction has length one and its largest entry positive, so that signs do not depend
//! on the solver.

use super::linear::Kind;
use super::{Linear, Map, Method, Request, SCALING, moments, points};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Symmetric, eigen, make_positive};
use crate::steps::About;

/// The method `pca`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "pca",
        summary: "principal components: the directions of largest variance; the classes are not looked at",
        paper: "K. Pearson, 1901; EPFL EE-613, PCA",
        count: 10,
        parameters: &[SCALING],
    },
    supervised: false,
    fit,
};

/// Eigenvectors of larger matrices take minutes.
pub(super) const MOST: usize = 4000;

/// Variance below this share of the largest is rounding.
const LEAST: f64 = 1e-13;

fn fit(request: &Request<'_>, notes: &mut Vec<String>) -> Result<Map> {
    let (rows, dimensions) = (request.data.rows(), request.coding.dimensions());
    if rows.min(dimensions) > MOST {
        let message = format!("pca is for at most {MOST} coordinates or rows, and there are {dimensions} and {rows}");
        return Err(Error::new(ErrorKind::Limit, message).hint("select features first, such as --select mim:1000"));
    }
    let (weights, means) = moments::class_means(request);
    let mean = moments::mean(&weights, &means);
    let (values, directions) =
        if dimensions <= rows { eigen(&moments::scatter(request, |_| &mean))? } else { of_rows(request, &mean)? };
    let varied = values.iter().filter(|v| **v > LEAST * values[0]).count();
    if varied == 0 {
        return Err(Error::data("the rows are all alike, so there is no direction of variance"));
    }
    let total: f64 = values.iter().take(varied).sum();
    let count = request.at_most(varied, "the rows vary in no more directions", notes);
    Ok(Map::Linear(Linear {
        kind: Kind::Pca,
        coding: request.coding.clone(),
        means: mean,
        directions: directions[..count * dimensions].to_vec(),
        shares: values[..count].iter().map(|v| v / total).collect(),
    }))
}

/// Eigenvalues and directions by way of the products of rows: with A the centred rows times the root of their share of
/// the weight, A A' u = v u makes A' u / sqrt(v) an eigenvector of A' A, the covariance.
fn of_rows(request: &Request<'_>, mean: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    let dimensions = mean.len();
    let total: f64 = request.data.weights.iter().sum();
    let mut rows = points(request);
    for (row, weight) in rows.chunks_exact_mut(dimensions).zip(&request.data.weights) {
        let root = (weight / total).sqrt();
        row.iter_mut().zip(mean).for_each(|(x, mean)| *x = (*x - mean) * root);
    }
    let count = request.data.rows();
    let mut products = Symmetric::zero(count);
    products.add(&rows, &rows, request.context);
    let (values, vectors) = eigen(&products)?;
    let mut directions = vec![0.0; count * dimensions];
    let scaled = vectors.chunks_exact(count).zip(&values).zip(directions.chunks_exact_mut(dimensions));
    for ((vector, value), direction) in scaled.filter(|((_, value), _)| **value > LEAST * values[0]) {
        for (row, u) in rows.chunks_exact(dimensions).zip(vector) {
            direction.iter_mut().zip(row).for_each(|(d, x)| *d += u * x);
        }
        direction.iter_mut().for_each(|d| *d /= value.sqrt());
        make_positive(direction);
    }
    Ok((values, directions))
}
