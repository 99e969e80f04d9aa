//! The push of a button: a stacked portfolio.
//!
//! Every member of the portfolio, an algorithm of the registry with settings of its own, is trained on all parts of the
//! rows but one and judged on that one, in turn. Each is calibrated by one factor ([`judge`]); the weights of the sum are
//! those of least log loss on the rows left out ([`stack`]); members with weight are trained again on all rows. The
//! score is sum_m c w_m s_m H_m(x), a sum of terms like any other model's ([`combine`]), so probabilities are its softmax
//! and "why A and not B" stays an exact sum.
//!
//! The scores of rows by models that had not seen them are kept: they say how good the model will be on new rows. (The
//! few weights were chosen on them too, so the estimate is a shade optimistic.)
//!
//! Very few distinct rows leave nothing to be cut into parts: there one chain of pairs, the one metric of least
//! leave-one-out loss, is the model. It has no random choice in it, and a row of weight two is the row twice.

mod advice;
mod combine;
mod folds;
mod ground;
mod jobs;
mod judge;
mod members;
mod small;
mod stack;
#[cfg(test)]
mod tests;

use super::{Estimate, Outcome, Partial, Prepared, Problem, RoundInfo, Stop, Watched, continued, train_prepared};
use crate::context::{Context, stream};
use crate::data::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::learner::similarity::{KEEP_VALUES, MEMORY_LIMIT, VALUES_KEPT};
use crate::memory;
use crate::model::{Chain, Link, Model, Part};
use crate::registry::{Algorithm, Method};
use crate::settings::{Kind, Parameter};
use folds::Folds;
use ground::{Ground, Meeting};
use jobs::{Event, Share};
use judge::{Judgement, Rows, log_probabilities};
use members::{Member, Preset, members};
use rand::RngExt;
use stack::Stack;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "the push of a button: a stack of the best, calibrated, with an honest estimate",
    paper: "own; stacking after Wolpert 1992 and Breiman 1996, members as cited by their own entries",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["portfolio"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "preset",
            kind: Kind::Choice(Preset::NAMES),
            default: "best",
            help: "auto: all members, three that are worth their time, or the best one of those alone",
        },
        MEMORY_LIMIT,
        KEEP_VALUES,
    ],
    method: Method::Whole(fit),
};

/// Share of a time limit that goes to judging members; the rest is for training the chosen ones on all rows.
const JUDGING: f64 = 0.65;
/// Rows without which nobody can be judged: where nearly every class has one row, none can be left out.
const LEAST_JUDGED: usize = 10;
/// Share of the memory for what members have in common, all folds together.
const IN_COMMON: f64 = 0.25;
/// Weights below this bring nothing but size.
const LEAST_WEIGHT: f64 = 0.03;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    let Problem { data, settings, context, .. } = *problem;
    let preset = Preset::named(settings.word("preset")?);
    let keep_values = settings.switch("keep-values")?;
    let limit = settings.integer_or_auto("memory-limit")?.unwrap_or_else(|| memory::share() >> 20);
    let members = members(data, preset, keep_values, limit, context.threads())?;
    let folds = Folds::new(data, preset, context);
    if small::is_small(data) || folds.judged().len() < LEAST_JUDGED {
        return told(small::fit(problem, &members, checkpoint, watched)?, watched);
    }
    let mut portfolio = Portfolio::new(data, members, folds, limit << 20, context);
    if let Some(checkpoint) = checkpoint {
        portfolio.restore(checkpoint, watched.template)?;
    }
    portfolio.train_folds(watched)?;
    let rows = Rows::new(data, &portfolio.folds);
    let judged = portfolio.judge(&rows);
    if judged.iter().all(Option::is_none) {
        return told(portfolio.unfinished(), watched);
    }
    let weights = weigh(&judged, &rows, preset, context)?;
    portfolio.train_chosen(&weights, &judged, watched)?;
    let mut outcome = portfolio.outcome(&weights, judged, &rows);
    if keep_values && !outcome.chain.supports.is_empty() {
        outcome.notes.push(VALUES_KEPT.into());
    }
    outcome.notes.extend(watched.template.costs.as_ref().and_then(advice::on));
    told(outcome, watched)
}

/// Tells whoever watches of the end.
fn told(outcome: Outcome, watched: &mut Watched<'_>) -> Result<Outcome> {
    let so_far = || Model { chain: outcome.chain.clone(), parts: outcome.parts.clone(), ..watched.template.clone() };
    let partial = Partial::new(outcome.chain.terms.len(), &so_far);
    outcome.history.iter().try_for_each(|info| watched.observer.round(info, &partial))?;
    Ok(outcome)
}

/// Weights of the members, zero for those that were not judged.
fn weigh(judged: &[Option<Judgement>], rows: &Rows<'_>, preset: Preset, context: &Context) -> Result<Vec<f64>> {
    let classes = rows.data.class_count();
    let log_losses = || judged.iter().enumerate().filter_map(|(m, j)| Some((m, j.as_ref()?.log_loss)));
    let best = log_losses().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(m, _)| m);
    let only_best = || (0..judged.len()).map(|m| f64::from(u8::from(m == best))).collect::<Vec<f64>>();
    if preset == Preset::Single {
        return Ok(only_best());
    }
    // Twice: what has hardly any weight leaves its place to the others.
    let mut names: Vec<usize> = log_losses().map(|(m, _)| m).collect();
    let mut weights = vec![0.0; judged.len()];
    for _ in 0..2 {
        let logs = |m: &usize| judged[*m].as_ref().map(|j| log_probabilities(&j.scores, classes, rows.rows.len()));
        let stack =
            Stack { members: names.iter().filter_map(logs).collect(), labels: &rows.labels, weights: &rows.weights };
        let solved = stack.solve(context)?;
        let alone = |m: usize| (0..names.len()).map(|i| f64::from(u8::from(names[i] == m))).collect::<Vec<f64>>();
        if names.contains(&best) && stack.log_loss(&solved, context) > stack.log_loss(&alone(best), context) {
            return Ok(only_best());
        }
        weights.fill(0.0);
        names.iter().zip(&solved).for_each(|(m, w)| weights[*m] = *w);
        let kept: Vec<usize> = names.iter().copied().filter(|m| weights[*m] >= LEAST_WEIGHT).collect();
        if kept.len() == names.len() || kept.is_empty() {
            break;
        }
        names = kept;
    }
    Ok(weights)
}

/// A training on one part of the rows, or on all of them.
#[derive(Clone)]
struct Trial {
    chain: Chain,
    stopped: Stop,
    /// Scores of the rows left out, `[stage][row][class]`.
    scores: Vec<Vec<f64>>,
}

impl Trial {
    fn complete(&self) -> bool {
        !matches!(self.stopped, Stop::TimeLimit | Stop::Interrupted | Stop::Running)
    }
}

/// Members, folds and what has been trained so far.
struct Portfolio<'a> {
    data: &'a Dataset,
    members: Vec<Member>,
    folds: Folds,
    context: Context,
    abort: Arc<AtomicBool>,
    /// One a fold.
    meetings: Vec<Meeting>,
    /// What trainings on all rows share.
    prepared: Prepared,
    /// Bytes for what the members of a fold share.
    room: usize,
    /// `[member][fold]`.
    trials: Vec<Vec<Option<Trial>>>,
    /// On all rows.
    chosen: Vec<Option<Trial>>,
    /// Chains of a checkpoint.
    restored: Option<Model>,
    notes: Vec<String>,
}

impl<'a> Portfolio<'a> {
    fn new(data: &'a Dataset, members: Vec<Member>, folds: Folds, memory: usize, context: &Context) -> Self {
        let abort = Arc::new(AtomicBool::new(false));
        let room = (IN_COMMON * memory as f64) as usize;
        Portfolio {
            data,
            trials: members.iter().map(|_| vec![None; folds.count]).collect(),
            chosen: members.iter().map(|_| None).collect(),
            meetings: (0..folds.count).map(|_| Meeting::of(members.len())).collect(),
            prepared: Prepared::within(room),
            room: room / folds.count.max(1),
            members,
            folds,
            context: context.clone().with_cancel(abort.clone()),
            abort,
            restored: None,
            notes: Vec::new(),
        }
    }

    fn restore(&mut self, checkpoint: Model, template: &Model) -> Result<()> {
        if checkpoint.provenance.stopped != Stop::Running {
            return Err(Error::option("the portfolio of this model is finished, so there is nothing to continue")
                .hint("train anew, without --resume"));
        }
        let parts = checkpoint.parts.clone();
        let chain = continued(checkpoint, template, false)?;
        self.restored = Some(Model { parts, chain, ..template.clone() });
        Ok(())
    }

    /// The training of a member on the rows but those of a fold (or on all rows), or what a checkpoint has of it.
    fn trial(
        &self,
        member: usize,
        fold: Option<usize>,
        rounds: Option<usize>,
        share: &Share,
        context: &Context,
    ) -> Result<Trial> {
        let who = &self.members[member];
        let left_out = fold.map(|fold| self.folds.left_out(fold)).unwrap_or_default();
        let visit = fold.map(|fold| self.meetings[fold].visit());
        let restored = self
            .restored
            .as_ref()
            .and_then(|model| combine::unpack(&model.chain, &model.parts, &self.name(member, fold)));
        let (chain, stopped) = match restored {
            Some(chain) => (chain, Stop::Fitted),
            None => {
                let mut settings = who.settings.clone();
                if let Some(rounds) = rounds {
                    settings.set("rounds", &rounds.to_string())?;
                }
                let context = context.with_seed(stream(self.context.seed(), &self.name(member, fold)).random());
                let ground = visit.as_ref().zip(fold).map(|(visit, fold)| visit.ground(|| self.ground(fold)));
                let (data, prepared) =
                    ground.as_deref().map_or((self.data, &self.prepared), |ground| (&ground.data, &ground.prepared));
                match train_prepared(data, None, &settings, &context, &mut share.clone(), prepared) {
                    Ok(trained) => (trained.model.chain, trained.summary.stopped),
                    // Too little memory for this one is no reason to give up.
                    Err(error) if error.kind() == ErrorKind::Limit => {
                        (combine::empty(self.data.class_count()), Stop::Running)
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let scores = judge::stages(&chain, who, self.data, &left_out, context);
        Ok(Trial { chain, stopped, scores })
    }

    fn ground(&self, fold: usize) -> Ground {
        Ground { data: self.data.select(&self.folds.trained(fold)), prepared: Prepared::within(self.room) }
    }

    fn name(&self, member: usize, fold: Option<usize>) -> String {
        let name = &self.members[member].name;
        fold.map_or_else(|| format!("{name}, all rows"), |fold| format!("{name}, fold {}", fold + 1))
    }

    /// Trains members on parts of the rows, as far as time allows.
    fn train_folds(&mut self, watched: &mut Watched<'_>) -> Result<()> {
        let folds = self.folds.count;
        let limit = self.context.deadline();
        let judging = limit.map(|end| {
            let now = Instant::now();
            now + end.saturating_duration_since(now).mul_f64(JUDGING)
        });
        // With all the time in the world fold by fold, so that what its members share is soon dropped, and the dearest first,
        // so that no thread waits for the last one alone.
        let mut pieces: Vec<usize> = (0..self.members.len() * folds).collect();
        if limit.is_none() {
            pieces.sort_by_key(|piece| (piece % folds, Reverse(piece / folds)));
        }
        let context = self.context.clone().with_deadline(judging);
        self.run(&pieces, &context, (0.0, 0.7), watched, |piece| (piece / folds, Some(piece % folds), None))
    }

    /// Trains the chosen ones on all rows.
    fn train_chosen(
        &mut self,
        weights: &[f64],
        judged: &[Option<Judgement>],
        watched: &mut Watched<'_>,
    ) -> Result<()> {
        let mut pieces: Vec<usize> = (0..self.members.len()).filter(|m| weights[*m] > 0.0).collect();
        pieces.reverse();
        let rounds: Vec<Option<usize>> = judged.iter().map(|j| j.as_ref().and_then(|j| j.terms)).collect();
        let context = self.context.clone();
        self.run(&pieces, &context, (0.7, 1.0), watched, |member| (member, None, rounds[member]))
    }

    /// Runs pieces side by side and keeps what they bring; `span` is their share of all the work.
    fn run(
        &mut self,
        pieces: &[usize],
        context: &Context,
        span: (f64, f64),
        watched: &mut Watched<'_>,
        what: impl Fn(usize) -> (usize, Option<usize>, Option<usize>) + Sync,
    ) -> Result<()> {
        let threads = context.threads();
        let each = context.shared_by(threads.min(pieces.len()));
        let efforts: Vec<f64> = pieces.iter().map(|piece| self.members[what(*piece).0].effort).collect();
        let all: f64 = efforts.iter().sum();
        let mut finished = vec![None; self.members.len() * self.folds.count.max(1)];
        let this = &*self;
        let abort = this.abort.clone();
        let work = |piece: usize, share: &Share| {
            let (member, fold, rounds) = what(piece);
            this.trial(member, fold, rounds, share, &each)
        };
        jobs::run(pieces, threads, &abort, work, |event| match event {
            Event::Tick(shares) => {
                let done: f64 = shares.iter().zip(&efforts).map(|(share, effort)| share * effort).sum();
                watched.observer.progress(span.0 + (span.1 - span.0) * done / all, "")
            }
            Event::Done(piece, trial) => {
                finished[piece] = Some(trial);
                let so_far = || {
                    let named = finished.iter().enumerate().filter_map(|(piece, trial)| {
                        let trial = trial.as_ref()?;
                        let (member, fold, _) = what(piece);
                        Some((this.name(member, fold), trial))
                    });
                    this.so_far(named, watched.template)
                };
                watched.observer.checkpoint(&Partial::new(0, &so_far))
            }
        })?;
        for (piece, trial) in finished.into_iter().enumerate().filter_map(|(piece, trial)| Some((piece, trial?))) {
            match what(piece) {
                (member, Some(fold), _) => self.trials[member][fold] = Some(trial),
                (member, None, _) => self.chosen[member] = Some(trial),
            }
        }
        Ok(())
    }

    /// A checkpoint: all trainings that were completed, and these.
    fn so_far<'t>(&'t self, also: impl Iterator<Item = (String, &'t Trial)>, template: &Model) -> Model {
        let of_member = |(member, trials): (usize, &'t Vec<Option<Trial>>)| {
            let named = move |(fold, trial): (usize, &'t Option<Trial>)| {
                Some((self.name(member, Some(fold)), trial.as_ref()?))
            };
            trials.iter().enumerate().filter_map(named).collect::<Vec<_>>()
        };
        let before = self.trials.iter().enumerate().flat_map(of_member);
        let complete = before.chain(also).filter(|(_, trial)| trial.complete());
        let chains: Vec<(String, &Chain)> = complete.map(|(name, trial)| (name, &trial.chain)).collect();
        let (chain, parts) = combine::pack(&chains, self.data.class_count());
        Model { chain, parts, ..template.clone() }
    }

    /// Judges the members of which every fold was completed.
    fn judge(&mut self, rows: &Rows<'_>) -> Vec<Option<Judgement>> {
        let members = self.members.iter().zip(&mut self.trials);
        let judged: Vec<Option<Judgement>> = members
            .map(|(member, trials)| {
                let complete = trials.iter().flatten().filter(|trial| trial.complete()).count() == trials.len();
                complete.then(|| {
                    let scores = trials
                        .iter_mut()
                        .flatten()
                        .map(|trial| std::mem::take(&mut trial.scores))
                        .collect::<Vec<_>>();
                    judge::judge(member, &self.folds, &scores, rows)
                })
            })
            .collect();
        let left: Vec<&str> =
            self.members.iter().zip(&judged).filter(|(_, j)| j.is_none()).map(|(m, _)| m.name.as_str()).collect();
        if !left.is_empty() {
            self.notes.push(format!("left out for want of time or memory: {}", left.join(", ")));
        }
        judged
    }

    /// The sum of the chosen members, with the estimate.
    fn outcome(mut self, weights: &[f64], judged: Vec<Option<Judgement>>, rows: &Rows<'_>) -> Outcome {
        let classes = self.data.class_count();
        let mut scores = vec![0.0; rows.rows.len() * classes];
        let chosen = || {
            judged
                .iter()
                .enumerate()
                .filter_map(|(m, j)| Some((m, weights[m], j.as_ref()?)))
                .filter(|(_, w, _)| *w > 0.0)
        };
        for (_, weight, judgement) in chosen() {
            scores.iter_mut().zip(&judgement.scores).for_each(|(sum, h)| *sum += weight * h);
        }
        let (factor, loss) = rows.judged(&scores).honest_temperature();
        let error = rows.judged(&scores).error();
        scores.iter_mut().for_each(|h| *h *= factor);
        let mut chain = combine::empty(classes);
        let mut parts = Vec::new();
        let mut averaged = Vec::new();
        for (member, weight, judgement) in chosen() {
            let before = chain.terms.len();
            let scale = factor * weight * judgement.factor;
            match self.chosen[member].take().filter(Trial::complete) {
                Some(trial) => combine::add(&mut chain, &trial.chain, scale),
                None => {
                    averaged.push(self.members[member].name.as_str());
                    for trial in self.trials[member].iter().flatten() {
                        let mut part = trial.chain.clone();
                        part.terms.truncate(judgement.terms.unwrap_or(usize::MAX));
                        combine::add(&mut chain, &part, scale / self.folds.count as f64);
                    }
                }
            }
            parts.push(Part {
                name: self.members[member].name.clone(),
                terms: chain.terms.len() - before,
                weight: factor * weight,
                factor: judgement.factor,
                log_loss: judgement.log_loss,
                error: judgement.error,
            });
        }
        if !averaged.is_empty() {
            self.notes.push(format!(
                "no time was left to train on all rows at once: the mean of the models of parts stands for {}",
                averaged.join(", ")
            ));
        }
        let stopped = self.context.asked_to_stop().filter(|_| !averaged.is_empty()).unwrap_or(Stop::Fitted);
        let info = RoundInfo { round: chain.terms.len(), loss, error, edge: 0.0, holdout: None, work: None };
        let estimate = Estimate { folds: self.folds.count, rows: rows.rows.clone(), scores };
        let (link, history, notes) = (Some(Link::SOFTMAX), vec![info], self.notes);
        Outcome { chain, parts, link, stopped, loss, history, estimate: Some(estimate), notes }
    }

    /// Not one member was judged: the first training that got anywhere, as it is.
    fn unfinished(self) -> Outcome {
        let trial = self.trials.into_iter().flatten().flatten().next();
        let chain = trial.map_or_else(|| combine::empty(self.data.class_count()), |trial| trial.chain);
        Outcome {
            chain,
            parts: Vec::new(),
            link: Some(Link::SOFTMAX),
            stopped: self.context.asked_to_stop().unwrap_or(Stop::TimeLimit),
            loss: f64::NAN,
            history: Vec::new(),
            estimate: None,
            notes: self.notes,
        }
    }
}
