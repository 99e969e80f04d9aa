//! Several normal clusters a class: the random data sets of the thesis' cost experiments (section 4.6, Fig. 4.5 and
//! 4.6: 1000 training and 500 test points of a mixture of multiple Gaussian clusters in the plane).
//!
//! The seed fixes the clusters and `draw` the sample, so `seed=3&rows=1000` and `seed=3&draw=1&rows=500` are training
//! and test set of one problem. The thesis gives no parameters; ours: centres uniform in the cube [-1, 1]^d, and
//! standard deviations of 0.4 to 1.6 times `spread` along axes that are tilted by a random reflection, which costs d
//! operations a point where a full covariance would cost d^2.

use super::arguments::{Arguments, CLASSES, DRAW, FEATURES, MISLABELLED, Parameter, ROWS, Range, SEED, check_size};
use super::random::{Normal, between};
use super::{Generator, assemble, random};
use crate::context::stream;
use crate::data::Table;
use crate::error::Result;
use rand_chacha::ChaCha8Rng;

/// `builtin:gaussians`.
pub(super) const GAUSSIANS: Generator = Generator {
    name: "gaussians",
    summary: "several normal clusters a class, at random places; the seed is the problem",
    parameters: &[
        ROWS,
        CLASSES,
        Parameter {
            name: "clusters",
            default: "3",
            range: Range::Whole(1, 1000),
            summary: "number of clusters a class",
        },
        FEATURES,
        Parameter {
            name: "spread",
            default: "0.2",
            range: Range::Real(0.0, 1000.0),
            summary: "size of the clusters (their centres lie within -1 and 1)",
        },
        MISLABELLED,
        SEED,
        DRAW,
    ],
    make,
};

struct Cluster {
    centre: Vec<f64>,
    deviations: Vec<f64>,
    /// Unit vector across which the axes are reflected.
    mirror: Vec<f64>,
}

fn make(arguments: &Arguments) -> Result<Table> {
    let (rows, classes) = (arguments.count("rows")?, arguments.count("classes")?);
    let (features, clusters) = (arguments.count("features")?, arguments.count("clusters")?);
    let spread = arguments.real("spread")?;
    check_size(rows, features)?;
    check_size(classes * clusters, 3 * features)?;
    let mut rng = stream(arguments.whole("seed")?, "gaussians/clusters");
    let mixture: Vec<Cluster> =
        (0..classes * clusters).map(|_| Cluster::random(features, spread, &mut rng)).collect();

    let mut rng = assemble::rows_stream(arguments, GAUSSIANS.name)?;
    let mut normal = Normal::default();
    let mut labels = assemble::balanced_labels(rows, classes, &mut rng);
    let mut columns = vec![Vec::with_capacity(rows); features];
    let mut point = vec![0.0; features];
    for &label in &labels {
        let of_class = random::below(clusters as u64, &mut rng) as usize;
        mixture[label as usize * clusters + of_class].draw(&mut point, &mut normal, &mut rng);
        for (column, x) in columns.iter_mut().zip(&point) {
            column.push(*x as f32);
        }
    }
    assemble::mislabel(&mut labels, classes, arguments, GAUSSIANS.name)?;
    assemble::table(columns, labels, classes)
}

impl Cluster {
    fn random(features: usize, spread: f64, rng: &mut ChaCha8Rng) -> Self {
        let mut normal = Normal::default();
        let centre = (0..features).map(|_| between(-1.0, 1.0, rng)).collect();
        let deviations = (0..features).map(|_| spread * between(0.4, 1.6, rng)).collect();
        let direction: Vec<f64> = (0..features).map(|_| normal.next(rng)).collect();
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        Cluster { centre, deviations, mirror: direction.iter().map(|x| x / length).collect() }
    }

    fn draw(&self, point: &mut [f64], normal: &mut Normal, rng: &mut ChaCha8Rng) {
        let mut along = 0.0;
        for ((x, deviation), m) in point.iter_mut().zip(&self.deviations).zip(&self.mirror) {
            *x = deviation * normal.next(rng);
            along += *x * m;
        }
        for ((x, centre), m) in point.iter_mut().zip(&self.centre).zip(&self.mirror) {
            *x += centre - 2.0 * along * m;
        }
    }
}
