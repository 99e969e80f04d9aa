//! The portfolio at work: members trained on parts of the rows and judged, the chosen ones trained on all rows and summed up.

use super::combine;
use super::folds::Folds;
use super::ground::{Ground, Meeting};
use super::jobs::{self, Event, Share};
use super::judge::{self, Judgement, Rows};
use super::members::Member;
use crate::booster::{Estimate, Outcome, Partial, RoundInfo, Stop, Trained, Watched, continued, train_prepared};
use crate::context::{Context, stream};
use crate::data::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Chain, Link, Model, Part};
use rand::RngExt;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Share of a time limit that goes to judging members; the rest is for training the chosen ones on all rows.
const JUDGING: f64 = 0.65;
/// Share of the memory for what members have in common, all folds together.
const IN_COMMON: f64 = 0.25;
/// Effort of members that are tried first.
const QUICK: f64 = 1.5;
/// Rows left out by which the quick ones may make the others superfluous,
const MANY_JUDGED: usize = 3000;
/// and their mistakes there at most: nobody could be seen to make fewer.
const FEW_MISTAKES: f64 = 3.0;
/// and in comparison with those of always giving the same answer.
const OF_TRIVIAL: f64 = 0.01;

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

/// Whether every fold of a member was trained to the end.
fn all_complete(trials: &[Option<Trial>]) -> bool {
    trials.iter().all(|trial| trial.as_ref().is_some_and(Trial::complete))
}

/// Members, folds and what has been trained so far.
pub struct Portfolio<'a> {
    data: &'a Dataset,
    members: Vec<Member>,
    /// Which rows are left out when.
    pub folds: Folds,
    context: Context,
    abort: Arc<AtomicBool>,
    /// One a fold.
    meetings: Vec<Meeting>,
    /// All rows.
    ground: Ground<'a>,
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
    /// Nothing trained yet.
    pub fn new(data: &'a Dataset, members: Vec<Member>, folds: Folds, memory: usize, context: &Context) -> Self {
        let abort = Arc::new(AtomicBool::new(false));
        let room = (IN_COMMON * memory as f64) as usize;
        Portfolio {
            data,
            trials: members.iter().map(|_| vec![None; folds.count]).collect(),
            chosen: members.iter().map(|_| None).collect(),
            meetings: (0..folds.count).map(|_| Meeting::of(members.len())).collect(),
            ground: Ground::new(Cow::Borrowed(data), room),
            room: room / folds.count.max(1),
            members,
            folds,
            context: context.clone().with_cancel(abort.clone()),
            abort,
            restored: None,
            notes: Vec::new(),
        }
    }

    /// Goes on where a checkpoint of this model stopped.
    pub fn restore(&mut self, checkpoint: Model, template: &Model) -> Result<()> {
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
                let of_fold = visit.as_ref().zip(fold).map(|(visit, fold)| visit.ground(|| self.ground(fold)));
                let ground = of_fold.as_deref().unwrap_or(&self.ground);
                let coded = if who.coded { ground.coded(self.room, &self.context) } else { None };
                let (data, prepared) =
                    coded.map_or((&*ground.data, &ground.prepared), |coded| (&coded.data, &coded.prepared));
                match train_prepared(data, None, &settings, &context, &mut share.clone(), prepared) {
                    Ok(Trained { model: Model { chain, .. }, summary }) => match coded {
                        Some(coded) => (coded.decoded(chain), summary.stopped),
                        None => (chain, summary.stopped),
                    },
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

    fn ground(&self, fold: usize) -> Ground<'static> {
        Ground::new(Cow::Owned(self.data.select(&self.folds.trained(fold))), self.room)
    }

    fn name(&self, member: usize, fold: Option<usize>) -> String {
        let name = &self.members[member].name;
        fold.map_or_else(|| format!("{name}, all rows"), |fold| format!("{name}, fold {}", fold + 1))
    }

    /// Trains members on parts of the rows, as far as time allows. Where many rows are left out the quick members come first,
    /// and the others only if those leave something to be told.
    pub fn train_folds(&mut self, watched: &mut Watched<'_>) -> Result<()> {
        let quick = self.members.iter().filter(|member| member.effort <= QUICK).count();
        if self.context.deadline().is_some() || self.folds.judged().len() < MANY_JUDGED || quick == self.members.len()
        {
            return self.train_members(0..self.members.len(), (0.0, 0.7), watched);
        }
        self.train_members(0..quick, (0.0, 0.2), watched)?;
        if self.nothing_to_tell() {
            self.notes.push(format!(
                "{} make next to no mistake on {} rows they had not seen, so no dearer member was tried",
                self.members[..quick].iter().map(|member| member.name.as_str()).collect::<Vec<_>>().join(", "),
                self.folds.judged().len()
            ));
            self.members.truncate(quick);
            self.trials.truncate(quick);
            self.chosen.truncate(quick);
            self.meetings.clear();
            return Ok(());
        }
        self.train_members(quick..self.members.len(), (0.2, 0.7), watched)
    }

    /// Whether some member makes so few mistakes that nobody could be seen to be better. Where one class is all but the only
    /// one, whoever always answers it makes few, and has told nothing yet.
    fn nothing_to_tell(&self) -> bool {
        let rows = Rows::new(self.data, &self.folds);
        let most = FEW_MISTAKES.min(OF_TRIVIAL * rows.trivial_error() * rows.rows.len() as f64);
        self.trials.iter().filter(|trials| all_complete(trials)).any(|trials| {
            let last = trials.iter().flatten().filter_map(|trial| trial.scores.last());
            let scores = rows.gather(&self.folds, last);
            rows.judged(&scores).error() * rows.rows.len() as f64 <= most
        })
    }

    /// Trains some of the members on parts of the rows; `span` is their share of all the work.
    fn train_members(&mut self, members: Range<usize>, span: (f64, f64), watched: &mut Watched<'_>) -> Result<()> {
        let folds = self.folds.count;
        let limit = self.context.deadline();
        let judging = limit.map(|end| {
            let now = Instant::now();
            now + end.saturating_duration_since(now).mul_f64(JUDGING)
        });
        // With all the time in the world the quickest member first, so that whoever stops early has something; then fold by
        // fold, so that what its members share is soon dropped, and the dearest first, so that no thread waits for the last
        // one alone.
        let mut pieces: Vec<usize> = (members.start * folds..members.end * folds).collect();
        if limit.is_none() {
            pieces.sort_by_key(|piece| (piece / folds > 0, piece % folds, Reverse(piece / folds)));
        }
        let context = self.context.clone().with_deadline(judging);
        self.run(&pieces, &context, span, watched, |piece| (piece / folds, Some(piece % folds), None))
    }

    /// Trains the chosen ones on all rows.
    pub fn train_chosen(
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
    pub fn judge(&mut self, rows: &Rows<'_>) -> Vec<Option<Judgement>> {
        let members = self.members.iter().zip(&mut self.trials);
        let judged: Vec<Option<Judgement>> = members
            .map(|(member, trials)| {
                all_complete(trials).then(|| {
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
    pub fn outcome(mut self, weights: &[f64], judged: Vec<Option<Judgement>>, rows: &Rows<'_>) -> Outcome {
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
                Some(trial) => combine::add(&mut chain, trial.chain, scale),
                None => {
                    averaged.push(self.members[member].name.as_str());
                    for mut part in self.trials[member].drain(..).flatten().map(|trial| trial.chain) {
                        part.terms.truncate(judgement.terms.unwrap_or(usize::MAX));
                        combine::add(&mut chain, part, scale / self.folds.count as f64);
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
    pub fn unfinished(self) -> Outcome {
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
