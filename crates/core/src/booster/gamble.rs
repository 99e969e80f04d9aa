//! GAMBLE: gentle adaptive multi-class boosting (Huang 2009, MSc thesis, ch. 3).
//!
//! Rows carry w = exp(-y'F / K). A round fits a regression tree g of the class codes y by weighted least squares and adds
//! f, where r_k = K (K-1) g_k / ((K-2) g_k + 1) and f = r - mean of r (Algorithm 2). With p_k the weighted share of class k
//! in a leaf, g_k = (K p_k - 1) / (K - 1) and r_k = K (K-1) (K p_k - 1) / (K (K-2) p_k + 1).
//!
//! One tree is enough because y has two values only: the codes y and z = y^2 of Algorithm 1 are both "one value for the
//! own class, another for the others", and then the squared error of a split is a multiple of that of the plain class
//! indicator (Theorem 2), whatever the two values are. So trees are grown on classes.
//!
//! Deviations: `--step-cap` bounds r, which the absence of a class in a leaf drives to -K (K-1); 0 = as published. At
//! K = 2 a step is twice that of Gentle AdaBoost: `--learning-rate 0.5` is Gentle AdaBoost.

use super::draw::{self, Draw};
use super::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::regression::{Grown, LEAVES, RegionGrower, Targets};
use crate::loss::MultiExponential;
use crate::model::{Link, Term, WeakModel};
use crate::registry::{Algorithm, BINS, Method};
use crate::settings::{Kind, Parameter};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "gamble",
    summary: "one regression tree a round for all classes, gentle steps",
    paper: "Huang 2009, MSc thesis (Penn State), ch. 3, Algorithm 2",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[&[LEAVES, BINS], draw::PARTS],
    own_parameters: &[Parameter {
        name: "step-cap",
        kind: Kind::Real(0.0, 1e6),
        default: "0",
        help: "largest step of a class in multiples of K, the step of a leaf of that class alone (a class without rows asks for K - 1 of them downwards); 0 = no cap, as published",
    }],
    method: Method::Rounds(|problem| Ok(Box::new(Gamble::new(problem)?))),
};

/// The booster.
pub struct Gamble<'a> {
    data: &'a Dataset,
    context: &'a Context,
    loss: MultiExponential<'a>,
    grower: RegionGrower<'a>,
    features: usize,
    draw: Draw,
    round: usize,
    rate: f64,
    cap: f64,
    weights: Vec<f64>,
}

impl<'a> Gamble<'a> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        let cap = settings.real("step-cap")?;
        Ok(Gamble {
            data,
            context,
            loss: MultiExponential::new(data),
            grower: RegionGrower::new(bins, settings.integer("leaves")?),
            features: bins.columns.len(),
            draw: Draw::new(settings)?,
            round: 0,
            rate: settings.real("learning-rate")?,
            cap: if cap == 0.0 { f64::INFINITY } else { cap * data.class_count() as f64 },
            weights: Vec::new(),
        })
    }
}

impl Booster for Gamble<'_> {
    fn start(&mut self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.loss.weigh(scores, 0.0, &mut self.weights, self.context)
    }

    /// Never: margins go on growing, and only the ratios of weights count.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::MULTI_EXPONENTIAL
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    /// Algorithm 2.
    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let (labels, classes, weights) = (&self.data.labels, self.data.class_count(), &self.weights);
        let drawn = self.draw.draw(self.round, weights, self.features, self.context);
        self.round += 1;
        let targets = Targets::Classes { labels, classes, weights };
        let grown = drawn.grow(&mut self.grower, targets, None, &self.data.features, self.context);
        let mut output = grown.class_weights(labels, classes, weights);
        let (mut edge, mut total) = (0.0, 0.0);
        for leaf in output.chunks_exact_mut(classes) {
            let weight: f64 = leaf.iter().sum();
            total += weight;
            for p in leaf.iter_mut() {
                *p /= weight;
                edge += weight * *p * mean_code(*p, classes);
            }
            leaf.iter_mut().for_each(|p| *p = step(*p, classes).clamp(-self.cap, self.cap));
            centre(leaf);
            leaf.iter_mut().for_each(|f| *f *= self.rate);
        }
        if output.iter().all(|f| *f == 0.0) {
            return Ok(None);
        }
        let response = grown.responses();
        let term = Term { learner: WeakModel::Regions(grown.tree), output };
        Ok(Some(NextTerm { term, response, edge: edge / total }))
    }
}

/// g_k: the weighted mean of y_k where class k has the share p.
fn mean_code(p: f64, classes: usize) -> f64 {
    let k = classes as f64;
    (k * p - 1.0) / (k - 1.0)
}

/// r_k where class k has the share p: K (K-1) g / ((K-2) g + 1), without the rounding of g. From -K (K-1) to K (Result 3).
pub fn step(p: f64, classes: usize) -> f64 {
    let k = classes as f64;
    k * (k - 1.0) * (k * p - 1.0) / (k * (k - 2.0) * p + 1.0)
}

/// Makes a vector sum to zero.
fn centre(vector: &mut [f64]) {
    let mean = vector.iter().sum::<f64>() / vector.len() as f64;
    vector.iter_mut().for_each(|x| *x -= mean);
}

/// Algorithm 1, kept to check Algorithm 2: a regression tree of y, another of z = y^2, r = K g / h.
pub struct TwoRegressions {
    /// Tree of y.
    pub g: Grown,
    /// Its leaf means, `[leaf][class]`.
    pub g_means: Vec<f64>,
    /// Tree of z.
    pub h: Grown,
    /// Its leaf means, `[leaf][class]`.
    pub h_means: Vec<f64>,
}

impl TwoRegressions {
    /// Fits both to weighted rows.
    pub fn fit(grower: &mut RegionGrower<'_>, data: &Dataset, weights: &[f64], context: &Context) -> Self {
        let classes = data.class_count();
        let other = -1.0 / (classes as f64 - 1.0);
        let code = |label: u32| (0..classes).map(move |k| if k == label as usize { 1.0 } else { other });
        let y: Vec<f64> = data.labels.iter().copied().flat_map(code).collect();
        let z: Vec<f64> = y.iter().map(|y| y * y).collect();
        let mut fit = |values: &[f64]| {
            let grown = grower.grow(Targets::Vectors { values, outputs: classes, weights }, context);
            let means = grown.means(values, classes, weights);
            (grown, means)
        };
        let ((g, g_means), (h, h_means)) = (fit(&y), fit(&z));
        TwoRegressions { g, g_means, h, h_means }
    }

    /// f for every row, `[row][class]`.
    pub fn steps(&self, classes: usize) -> Vec<f64> {
        let mut steps = Vec::new();
        for (g, h) in self.g.leaf_of.iter().zip(&self.h.leaf_of) {
            let (g, h) = (*g as usize * classes, *h as usize * classes);
            let ratios = self.g_means[g..].iter().zip(&self.h_means[h..]).take(classes);
            let mut row: Vec<f64> = ratios.map(|(g, h)| classes as f64 * g / h).collect();
            centre(&mut row);
            steps.extend(row);
        }
        steps
    }
}
