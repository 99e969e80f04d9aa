//! A labelling session. The library's learner borrows its pool; between two calls only the state is kept, from which
//! everything follows.

use crate::errors::{as_keywords, free, raised};
use crate::model::Model;
use crate::table::Table;
use crate::threads;
use crate::train::{NamedCosts, named_costs, settings};
use crate::watch::watched;
use pyo3::prelude::*;
use rebelboost::active::{ActiveLearner, ActiveSettings, ClassCosts, Pool, State};
use rebelboost::context::Context;
use rebelboost::data::Roles;
use rebelboost::settings::Settings;
use rebelboost::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// What does not change in a session.
struct Fixed {
    pool: Pool,
    settings: Settings,
    active: ActiveSettings,
    costs: Option<ClassCosts>,
    seed: u64,
    threads: usize,
}

impl Fixed {
    fn learner(&self, context: Context, state: Option<State>) -> Result<ActiveLearner<'_>> {
        let (settings, active, costs) = (self.settings.clone(), self.active.clone(), self.costs.clone());
        match state {
            Some(state) => ActiveLearner::resume(&self.pool, settings, active, costs, context, state),
            None => ActiveLearner::new(&self.pool, settings, active, costs, context),
        }
    }

    fn row(&self, row: usize) -> Result<usize> {
        self.pool.row_of(row).ok_or_else(|| Error::data(format!("there is no row {row} to label")))
    }
}

/// A labelling session. Rows are those of the table.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Session {
    fixed: Arc<Fixed>,
    state: Mutex<State>,
    notes: Vec<String>,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (table, *, target, categorical, algorithm, settings, active, costs, seed, threads, state))]
    fn new(
        py: Python<'_>,
        table: &Table,
        target: String,
        categorical: Vec<String>,
        algorithm: Option<&str>,
        settings: Vec<(String, String)>,
        active: Vec<(String, String)>,
        costs: Option<NamedCosts<'_>>,
        seed: u64,
        threads: usize,
        state: Option<&str>,
    ) -> PyResult<Self> {
        let costs = costs.map(|costs| {
            let names = costs.0.clone();
            named_costs(&costs, &names).map(|matrix| ClassCosts { names, matrix })
        });
        let costs = costs.transpose().map_err(|e| raised(py, &e))?;
        let (context, _) = threads::context(py, seed, threads)?;
        let (fixed, state, notes) = free(py, || {
            let settings = self::settings(algorithm, &settings)?;
            let mut values = ActiveSettings::new()?;
            active.iter().try_for_each(|(name, value)| values.set(name, value))?;
            let mut notes = Vec::new();
            let roles = Roles { target: Some(target), categorical, ..Roles::default() };
            let pool = Pool::from_table(&table.take()?, &roles, &context, &mut notes)?;
            let fixed = Fixed { pool, settings, active: values, costs, seed, threads };
            let state = state.map(State::from_text).transpose()?;
            let state = fixed.learner(context, state)?.state().clone();
            Ok((fixed, state, notes))
        })?;
        Ok(Session { fixed: Arc::new(fixed), state: Mutex::new(state), notes })
    }

    /// The open questions: row, and why it is asked. Empty when every row is labelled or was skipped.
    fn query(&self, py: Python<'_>) -> PyResult<Vec<(usize, String)>> {
        self.train(py, |fixed, learner| {
            let batch = learner.batch()?.iter();
            Ok(batch.map(|query| (fixed.pool.origin(query.row), query.reason.words())).collect())
        })
    }

    /// Tells classes of rows.
    fn teach(&self, py: Python<'_>, answers: Vec<(usize, String)>) -> PyResult<()> {
        self.change(py, |fixed, learner| {
            answers.iter().try_for_each(|(row, class)| learner.teach(fixed.row(*row)?, class))
        })
    }

    /// Leaves rows unanswered.
    fn skip(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<()> {
        self.change(py, |fixed, learner| rows.iter().try_for_each(|row| learner.skip(fixed.row(*row)?)))
    }

    /// Takes the last answer or skip back; its row, or `None` if there is none.
    fn undo(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.change(py, |fixed, learner| Ok(learner.undo()?.map(|event| fixed.pool.origin(event.row))))
    }

    /// The model of all labels so far; `None` while fewer than two classes are known.
    fn model(&self, py: Python<'_>) -> PyResult<Option<Model>> {
        self.train(py, |_, learner| Ok(learner.model()?.cloned())).map(|model| model.map(|m| Model(Arc::new(m))))
    }

    /// Things worth knowing about the data, in plain words.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| as_keywords(note)).collect()
    }

    /// Known classes.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.kept().classes.clone()
    }

    /// The class of each row of the pool that is known: row and position in `classes`.
    fn labels(&self, py: Python<'_>) -> PyResult<Vec<(usize, String)>> {
        self.change(py, |fixed, learner| {
            let label = |row: usize| learner.label(row).map(|class| (fixed.pool.origin(row), class.to_string()));
            Ok((0..fixed.pool.len()).filter_map(label).collect())
        })
    }

    /// Rows that are neither labelled nor skipped.
    fn open(&self, py: Python<'_>) -> PyResult<usize> {
        self.change(py, |_, learner| Ok(learner.open()))
    }

    /// Estimated error, its 95 % interval and the number of random rows behind it, of the last batch that had one.
    fn estimate(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64, usize)>> {
        self.change(py, |_, learner| {
            let found = learner.estimate().filter(|e| e.rows > 0);
            Ok(found.map(|e| (e.error(), e.interval().0, e.interval().1, e.rows)))
        })
    }

    /// Whether more labels are likely to help, in plain words; `None` while it is too early to say.
    fn hint(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.change(py, |_, learner| Ok(learner.hint().words()))
    }

    /// All that must be kept to go on later, as text.
    fn state(&self) -> String {
        self.kept().to_text()
    }
}

impl Session {
    fn kept(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A quick change; nothing is changed if it fails.
    fn change<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Fixed, &mut ActiveLearner<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let (context, _) = threads::context(py, self.fixed.seed, self.fixed.threads)?;
        let before = self.kept().clone();
        let (made, state) = free(py, || {
            let mut learner = self.fixed.learner(context, Some(before))?;
            Ok((job(&self.fixed, &mut learner)?, learner.state().clone()))
        })?;
        *self.kept() = state;
        Ok(made)
    }

    /// Work that trains. Ctrl-C leaves the session as it was.
    fn train<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Fixed, &mut ActiveLearner<'_>) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (context, cancel) = threads::context(py, self.fixed.seed, self.fixed.threads)?;
        let (before, fixed) = (self.kept().clone(), self.fixed.clone());
        let (made, error) = watched(py, &cancel, None, move |_| {
            let mut learner = fixed.learner(context, Some(before))?;
            Ok((job(&fixed, &mut learner)?, learner.state().clone()))
        })?;
        match (made, error) {
            (_, Some(error)) => Err(error),
            (Some((made, state)), None) => {
                *self.kept() = state;
                Ok(made)
            }
            (None, None) => Err(raised(py, &Error::internal("a session ended without a result"))),
        }
    }
}
