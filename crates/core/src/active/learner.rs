//! A session: questions, answers, second thoughts. How the questions are made is in `step`.

use super::trainer::Fitted;
use super::{ActiveSettings, ClassCosts, Event, Hint, Pool, Query, Reason, State, Strategy};
use crate::context::Context;
use crate::data::UNSEEN_CLASS;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::settings::Settings;

/// Asks for the rows that teach most, and learns from the answers.
pub struct ActiveLearner<'a> {
    pub(super) pool: &'a Pool,
    pub(super) settings: Settings,
    pub(super) costs: Option<ClassCosts>,
    pub(super) context: Context,
    pub(super) state: State,
    /// Class of each row, or [`UNSEEN_CLASS`].
    pub(super) labels: Vec<u32>,
    /// Rows that are labelled or were skipped.
    pub(super) closed: Vec<bool>,
    /// The model of the labels as they are.
    pub(super) fitted: Option<Fitted>,
}

impl<'a> ActiveLearner<'a> {
    /// A new session. The context's seed is the session's.
    pub fn new(
        pool: &'a Pool,
        settings: Settings,
        active: ActiveSettings,
        costs: Option<ClassCosts>,
        context: Context,
    ) -> Result<Self> {
        let state = State {
            data: pool.fingerprint().into(),
            algorithm: String::new(),
            settings: Default::default(),
            active,
            seed: context.seed(),
            classes: costs.as_ref().map(|c| c.names.clone()).unwrap_or_default(),
            log: Vec::new(),
            pending: Vec::new(),
            history: Vec::new(),
        };
        Self::begin(pool, settings, costs, context, state)
    }

    /// Goes on with a session: the next question is the one it would have been. The pool must be the same; settings
    /// may differ and count from the next batch on.
    pub fn resume(
        pool: &'a Pool,
        settings: Settings,
        active: ActiveSettings,
        costs: Option<ClassCosts>,
        context: Context,
        state: State,
    ) -> Result<Self> {
        if state.data != pool.fingerprint() {
            return Err(Error::data("the session belongs to other data: rows or columns have changed since"));
        }
        let rows = state.log.iter().map(|e| e.row).chain(state.pending.iter().map(|q| q.row));
        if rows.max().is_some_and(|row| row >= pool.len()) {
            return Err(Error::model("the session is damaged: it names a row that is not there"));
        }
        Self::begin(pool, settings, costs, context, State { active, ..state })
    }

    fn begin(
        pool: &'a Pool,
        settings: Settings,
        costs: Option<ClassCosts>,
        context: Context,
        mut state: State,
    ) -> Result<Self> {
        if state.active.strategy == Strategy::ExpectedCost && costs.is_none() {
            return Err(Error::option("the strategy 'expected-cost' needs costs").hint("give --costs or --taxonomy"));
        }
        state.algorithm = settings.algorithm().name.into();
        state.settings = settings.values().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        state.seed = context.seed();
        let mut learner = ActiveLearner {
            pool,
            settings,
            costs,
            context,
            state,
            labels: Vec::new(),
            closed: Vec::new(),
            fitted: None,
        };
        for class in pool.classes() {
            learner.class_named(class)?;
        }
        learner.refresh()?;
        Ok(learner)
    }

    /// The next row to label; the same until it is answered. `None` when every row is labelled or was skipped.
    pub fn query(&mut self) -> Result<Option<Query>> {
        Ok(self.batch()?.first().cloned())
    }

    /// The open questions of the batch; empty when every row is labelled or was skipped.
    pub fn batch(&mut self) -> Result<&[Query]> {
        let closed = &self.closed;
        self.state.pending.retain(|q| !closed[q.row]);
        if self.state.pending.is_empty() {
            self.step()?;
        }
        Ok(&self.state.pending)
    }

    /// Tells the class of a row, asked or not. A class that was not known so far becomes known.
    pub fn teach(&mut self, row: usize, class: &str) -> Result<()> {
        self.check_row(row)?;
        if let Some(known) = self.label(row) {
            return Err(Error::data(format!("row {} has the class '{known}' already", self.pool.origin(row) + 1))
                .hint("take that back first"));
        }
        let known = self.state.classes.len();
        let class = self.class_named(class)?;
        self.close(row, Some(class), class as usize == known)
    }

    /// Leaves a row unanswered; it is not asked again.
    pub fn skip(&mut self, row: usize) -> Result<()> {
        self.check_row(row)?;
        if self.closed[row] {
            return Err(Error::data(format!("row {} is not open", self.pool.origin(row) + 1)));
        }
        self.close(row, None, false)
    }

    /// Takes the last answer back, or the last skip; that row is asked next. `None` if there is none.
    pub fn undo(&mut self) -> Result<Option<Event>> {
        let Some(last) = self.state.log.iter().rposition(|e| !e.given) else { return Ok(None) };
        let event = self.state.log.remove(last);
        let reason = Reason::Again { random: event.random };
        self.state.pending.insert(0, Query { row: event.row, reason });
        self.forget_class(&event);
        self.refresh()?;
        Ok(Some(event))
    }

    /// Makes a class known before any row has it.
    pub fn declare(&mut self, class: &str) -> Result<()> {
        self.class_named(class).map(drop)
    }

    /// The model of all labels so far. `None` while fewer than two classes are known.
    pub fn model(&mut self) -> Result<Option<&Model>> {
        if self.fitted.is_none() {
            self.fitted = self.trainer(true).fit(&self.labelled(), None)?;
        }
        Ok(self.fitted.as_ref().map(|f| &f.model))
    }

    /// All that must be kept to go on later.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Known classes in the order in which people see them.
    pub fn classes(&self) -> &[String] {
        &self.state.classes
    }

    /// The class of a row, if known.
    pub fn label(&self, row: usize) -> Option<&str> {
        self.state.classes.get(self.labels[row] as usize).map(String::as_str)
    }

    /// Labelled rows of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.state.classes.len()];
        self.labels.iter().filter(|l| **l != UNSEEN_CLASS).for_each(|l| counts[*l as usize] += 1);
        counts
    }

    /// Rows that are neither labelled nor skipped.
    pub fn open(&self) -> usize {
        self.closed.iter().filter(|closed| !**closed).count()
    }

    /// Rows that were skipped.
    pub fn skipped(&self) -> usize {
        self.state.log.iter().filter(|e| e.class.is_none()).count()
    }

    /// The estimate of the last batch that had one.
    pub fn estimate(&self) -> Option<super::Estimate> {
        self.state.history.iter().rev().find_map(|step| step.estimate)
    }

    /// Whether more labels are likely to help.
    pub fn hint(&self) -> Hint {
        Hint::of(&self.state.history)
    }

    /// The position of a class, added if it is new.
    pub(super) fn class_named(&mut self, class: &str) -> Result<u32> {
        let class = class.trim();
        if class.is_empty() {
            return Err(Error::data("a class needs a name"));
        }
        if let Some(costs) = &self.costs {
            costs.place(class)?;
        }
        let classes = &mut self.state.classes;
        let known = classes.iter().position(|name| name == class);
        Ok(known.unwrap_or_else(|| {
            classes.push(class.to_string());
            classes.len() - 1
        }) as u32)
    }

    /// Removes a class that came with an answer and goes with it, unless another row has it.
    fn forget_class(&mut self, event: &Event) {
        let last = self.state.classes.len().checked_sub(1).map(|last| last as u32);
        if event.new && event.class == last && self.state.log.iter().all(|e| e.class != last) {
            self.state.classes.pop();
        }
    }

    fn close(&mut self, row: usize, class: Option<u32>, new: bool) -> Result<()> {
        let asked = self.state.pending.iter().find(|q| q.row == row);
        let random = asked.is_some_and(|q| q.reason.is_random());
        self.state.pending.retain(|q| q.row != row);
        self.state.log.retain(|e| e.row != row);
        self.state.log.push(Event { row, class, random, given: false, new });
        self.refresh()
    }

    pub(super) fn check_row(&self, row: usize) -> Result<()> {
        if row < self.pool.len() { Ok(()) } else { Err(Error::data(format!("there is no row {}", row + 1))) }
    }

    /// Labels follow from the data and the log, the log last.
    pub(super) fn refresh(&mut self) -> Result<()> {
        let mut labels = vec![UNSEEN_CLASS; self.pool.len()];
        let mut closed = vec![false; self.pool.len()];
        let places: Vec<u32> = self.pool.classes().iter().map(|c| self.class_named(c)).collect::<Result<_>>()?;
        for row in 0..self.pool.len() {
            if let Some(place) = self.pool.given_code(row).map(|code| places[code]) {
                (labels[row], closed[row]) = (place, true);
            }
        }
        for event in &self.state.log {
            closed[event.row] = true;
            if let Some(class) = event.class {
                labels[event.row] = class;
            }
        }
        if labels != self.labels {
            self.fitted = None;
        }
        (self.labels, self.closed) = (labels, closed);
        Ok(())
    }
}
