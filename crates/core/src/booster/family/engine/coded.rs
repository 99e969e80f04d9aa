//! The engine of reductions to two-class problems: every class has a codeword of +1, -1 and 0, every column of the code is
//! a two-class problem (0 = the class sits it out), and AdaBoost is run on each (Allwein, Schapire, Singer 2000).
//!
//! Columns take turns, one tree each. A tree of column l with vote alpha adds alpha times an output vector; for a code
//! that is the column itself, so the score of class k is sum_l M_kl F_l: loss-based decoding with the linear loss
//! L(z) = -z, exactly (ibid., section 4). Hamming decoding gathers the trees of a column into one term ([`gather`]).

use super::gather;
use crate::booster::ada::vote;
use crate::booster::rebel::smoothing;
use crate::booster::sign_rounds::SignRounds;
use crate::booster::{Booster, NextTerm, Problem};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learner::Work;
use crate::learner::tree::Binary;
use crate::math::exp;
use crate::model::{Node, Sign, SignTree, Term, WeakModel, sign_of};

/// Margins kept at most (2 GB).
const MOST_MARGINS: usize = 1 << 28;

/// A code: one row a class, one column a two-class problem.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Code {
    /// `[column][class]`: +1, -1 or 0.
    pub columns: Vec<Vec<i8>>,
    /// What a tree of each column gives to each class; the column itself if `None`.
    pub outputs: Option<Vec<Vec<f64>>>,
    /// Name of the link of the scores.
    pub link: &'static str,
}

/// AdaBoost on every column.
pub(crate) struct Coded<'a> {
    data: &'a Dataset,
    rounds: SignRounds<'a>,
    columns: Vec<Column>,
    start: Vec<f64>,
    link: &'static str,
    rate: f64,
    smoothing: f64,
    terms: usize,
    /// Scores of the training rows by Hamming decoding, if it is that (`[row][class]`).
    counted: Option<Vec<f64>>,
}

/// A two-class problem.
struct Column {
    code: Vec<i8>,
    output: Vec<f64>,
    /// F, one a row.
    margins: Vec<f64>,
    /// Sum of w exp(-y F), as a share of the weight that takes part.
    loss: f64,
}

impl<'a> Coded<'a> {
    /// AdaBoost on the columns of this code; `start` are the scores before the first term.
    pub fn new(problem: &Problem<'a>, code: Code, start: Vec<f64>) -> Result<Self> {
        let Problem { data, settings, .. } = problem;
        if code.columns.len().saturating_mul(data.rows()) > MOST_MARGINS {
            return Err(Error::data(format!(
                "{} two-class problems on {} rows do not fit into memory",
                code.columns.len(),
                data.rows()
            ))
            .hint("use --algorithm rebel, or a shorter code"));
        }
        let outputs = code.outputs.unwrap_or_else(|| {
            code.columns.iter().map(|column| column.iter().map(|m| f64::from(*m)).collect()).collect()
        });
        let rounds = SignRounds::new(problem, code.columns.len())?;
        let columns = code.columns.into_iter().zip(outputs).map(|(code, output)| {
            let takes_part = data.labels.iter().any(|label| code[*label as usize] != 0);
            Column { code, output, margins: vec![0.0; data.rows()], loss: f64::from(u8::from(takes_part)) }
        });
        Ok(Coded {
            data,
            rounds,
            columns: columns.collect(),
            start,
            link: code.link,
            rate: settings.real("learning-rate")?,
            smoothing: smoothing(settings, &data.weights)?,
            terms: 0,
            counted: None,
        })
    }

    /// Decodes by Hamming distance.
    pub fn by_hamming_distance(mut self) -> Self {
        self.counted = Some(self.start.repeat(self.data.rows()));
        self
    }

    fn outputs(&self) -> Vec<&[f64]> {
        self.columns.iter().map(|column| &column.output[..]).collect()
    }

    /// y w exp(-y F) of every row of a column.
    fn signed(&self, column: &Column) -> Vec<f64> {
        let rows = self.data.labels.iter().zip(&self.data.weights).zip(&column.margins);
        rows.map(|((label, weight), margin)| match f64::from(column.code[*label as usize]) {
            0.0 => 0.0,
            y => y * weight * exp(-y * margin),
        })
        .collect()
    }

    /// The tree of a column and its vote, if it helps.
    fn fit(&mut self, column: usize) -> Option<(Binary, f64, f64)> {
        let signed = self.signed(&self.columns[column]);
        let total: f64 = signed.iter().map(|yw| yw.abs()).sum();
        if total <= 0.0 {
            return None;
        }
        let found = self.rounds.fit(column, &signed);
        let wrong = signed.iter().zip(&found.response).filter(|(yw, f)| *yw * *f < 0.0);
        let error = wrong.map(|(yw, _)| yw.abs()).sum::<f64>() / total;
        let alpha = vote(error, self.smoothing);
        let helps = alpha != 0.0 && error * exp(alpha) + (1.0 - error) * exp(-alpha) < 1.0;
        helps.then(|| (found, alpha * self.rate, (1.0 - 2.0 * error).abs()))
    }
}

impl Booster for Coded<'_> {
    fn start(&mut self) -> Vec<f64> {
        self.start.clone()
    }

    /// The mean loss of the two-class problems. It follows from their margins, which the scores alone do not determine.
    fn weigh(&mut self, _scores: &[f64]) -> f64 {
        self.columns.iter().map(|column| column.loss).sum::<f64>() / self.columns.len() as f64
    }

    /// Never: margins go on growing.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn work(&self) -> Option<Work> {
        self.rounds.work()
    }

    fn link(&self) -> &'static str {
        self.link
    }

    /// Counts of columns are not about probabilities.
    fn has_link(&self) -> bool {
        self.counted.is_none()
    }

    fn follows(&self) -> bool {
        true
    }

    fn refits(&self) -> bool {
        self.counted.is_some()
    }

    fn refit(&mut self, _bias: &[f64], _terms: &mut [Term]) -> Option<Vec<f64>> {
        self.counted.clone()
    }

    fn gathered(&self, terms: &[Term]) -> Option<Vec<Term>> {
        self.counted.as_ref().map(|_| gather::gather(terms, &self.outputs()))
    }

    fn taken_apart(&self, terms: Vec<Term>) -> Result<Vec<Term>> {
        match self.counted {
            Some(_) => gather::take_apart(&terms, &self.outputs()),
            None => Ok(terms),
        }
    }

    fn added(&mut self, term: &Term, response: &[f64]) {
        let place = self.terms % self.columns.len();
        self.terms += 1;
        self.rounds.skip(self.terms);
        let column = &mut self.columns[place];
        let alpha = gather::vote(term, &column.output);
        if alpha == 0.0 {
            return;
        }
        if let Some(counted) = &mut self.counted {
            let rows = counted.chunks_exact_mut(column.output.len()).zip(&column.margins).zip(response);
            for ((scores, margin), f) in rows {
                let turned = sign_of(margin + alpha * f) - sign_of(*margin);
                scores.iter_mut().zip(&column.output).for_each(|(h, m)| *h += turned * m);
            }
        }
        column.margins.iter_mut().zip(response).for_each(|(margin, f)| *margin += alpha * f);
        let rows = self.data.labels.iter().zip(&self.data.weights).zip(&column.margins);
        let (mut sum, mut total) = (0.0, 0.0);
        for ((label, weight), margin) in rows {
            let y = f64::from(column.code[*label as usize]);
            if y != 0.0 {
                sum += weight * exp(-y * margin);
                total += weight;
            }
        }
        column.loss = sum / total;
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let count = self.columns.len();
        let place = self.terms % count;
        if let Some((Binary { learner, response }, alpha, edge)) = self.fit(place) {
            let output = self.columns[place].output.iter().map(|m| alpha * m).collect();
            return Ok(Some(NextTerm { term: Term { learner, output }, response, edge }));
        }
        // A column that no tree helps lets its turn pass, unless none can go on.
        let helped = (place + 1..count).chain(0..place).any(|other| {
            self.rounds.skip(self.terms);
            self.fit(other).is_some()
        });
        self.rounds.skip(self.terms);
        let nothing = SignTree { nodes: vec![Node::Leaf(Sign { sign: 1 })] };
        let output = vec![0.0; self.data.class_count()];
        let term = Term { learner: WeakModel::Tree(nothing), output };
        Ok(helped.then(|| NextTerm { term, response: vec![1.0; self.data.rows()], edge: 0.0 }))
    }
}
