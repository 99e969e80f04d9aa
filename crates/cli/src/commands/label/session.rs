//! A labelling session on disk: the labels, which the person owns, and beside them what is needed to go on.
//!
//! After every answer the labels are written first, then the session, each whole or not at all. If only the first
//! reached the disk, or a person has edited the labels, the labels are right and the session follows them.

use super::Options;
use super::lock::Lock;
use crate::{data, files, setup};
use rebelboost::active::{ActiveLearner, ActiveSettings, ClassCosts, Pool, State};
use rebelboost::context::Context;
use rebelboost::data::synthetic::PREFIX;
use rebelboost::data::{Roles, Table};
use rebelboost::registry::algorithm_with;
use rebelboost::settings::Settings;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::{Labels, Source, write_atomic};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where things are.
pub struct Place {
    /// The labels.
    pub labels: PathBuf,
    /// What is needed to go on.
    pub session: PathBuf,
}

impl Place {
    /// The files of these options.
    pub fn of(options: &Options) -> Place {
        let labels = options.train.labels.clone().unwrap_or_else(|| beside(&options.train.data));
        let mut session = labels.as_os_str().to_owned();
        session.push(".session");
        Place { labels, session: session.into() }
    }
}

/// `birds.csv.gz` -> `birds.labels.csv`, `builtin:penguins?rows=9` -> `penguins.labels.csv`.
fn beside(data: &Path) -> PathBuf {
    let text = data.to_string_lossy();
    let built_in = text.strip_prefix(PREFIX).map(|spec| PathBuf::from(spec.split('?').next().unwrap_or_default()));
    let mut path = built_in.unwrap_or_else(|| data.to_path_buf());
    if path.extension().is_some_and(|e| e == "gz") {
        path.set_extension("");
    }
    path.with_extension("labels.csv")
}

/// What a session begins from.
pub struct Found {
    pub table: Table,
    pub pool: Pool,
    pub context: Context,
    labels: Option<Labels>,
    state: Option<State>,
    _lock: Lock,
}

impl Found {
    /// Reads data, labels and session.
    pub fn read(options: &Options, place: &Place, notes: &mut Vec<String>) -> Result<Found> {
        let train = &options.train;
        if matches!(Source::new(&train.data), Source::Stdin) {
            return Err(Error::option("the answers come from standard input, so the data cannot")
                .hint("give the data as a file"));
        }
        let inputs = [Some(&train.data), train.costs.as_ref(), train.taxonomy.as_ref()];
        files::check_output(&place.labels, &inputs.into_iter().flatten().map(PathBuf::as_path).collect::<Vec<_>>())?;
        let lock = Lock::take(&place.labels)?;
        let table = setup::table(train)?;
        let labels = match place.labels.exists() {
            true => Some(Labels::read(&Source::new(&place.labels), table.rows())?),
            false => None,
        };
        let state = read_state(place)?;
        let machine =
            crate::args::Machine { seed: train.machine.seed.or(state.as_ref().map(|s| s.seed)), ..train.machine };
        let context = setup::context(&machine, None)?;
        let named = labels.as_ref().map(|l| l.target.clone());
        let roles = Roles { target: train.target.clone().or(named), ..setup::roles(train) };
        let pool =
            Pool::from_table(&table, &roles, &context, notes).map_err(|e| e.in_file(data::name(&train.data)))?;
        let target = &pool.schema().target;
        if let Some(labels) = labels.as_ref().filter(|labels| labels.target != *target) {
            return Err(Error::data(format!("its classes are called '{}', not '{target}'", labels.target))
                .in_file(place.labels.display().to_string())
                .hint(format!("use --target {} or another file with --labels", labels.target)));
        }
        Ok(Found { table, pool, context, labels, state, _lock: lock })
    }
}

fn read_state(place: &Place) -> Result<Option<State>> {
    let text = match fs::read_to_string(&place.session) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == io::ErrorKind::InvalidData => String::new(),
        Err(e) => return Err(Error::io("cannot read", e).in_file(place.session.display().to_string())),
    };
    State::from_text(&text).map(Some).map_err(|e| in_session(e, place))
}

fn in_session(error: Error, place: &Place) -> Error {
    error
        .in_file(place.session.display().to_string())
        .hint(format!("the labels in {} are whole: delete the session and go on from them", place.labels.display()))
}

/// A session under way.
pub struct Session<'a> {
    pub learner: ActiveLearner<'a>,
    pub found: &'a Found,
    pub place: &'a Place,
    /// Whether it went on from an earlier one.
    pub resumed: bool,
    /// Labels as they are on disk.
    written: BTreeMap<usize, String>,
}

impl<'a> Session<'a> {
    /// Begins, or goes on where it was left.
    pub fn begin(options: &Options, found: &'a Found, place: &'a Place, notes: &mut Vec<String>) -> Result<Self> {
        let (settings, active) = settings(options, found.state.as_ref())?;
        let costs = costs(options, found)?;
        let context = found.context.clone();
        let mut learner = match &found.state {
            Some(state) => ActiveLearner::resume(&found.pool, settings, active, costs, context, state.clone())
                .map_err(|e| if e.kind() == ErrorKind::Data { in_session(e, place) } else { e })?,
            None => ActiveLearner::new(&found.pool, settings, active, costs, context)?,
        };
        options.classes.iter().try_for_each(|class| learner.declare(class))?;
        let mut outside = 0;
        let labels = found.labels.iter().flat_map(|labels| &labels.classes).filter_map(|(row, class)| {
            let row = found.pool.row_of(*row);
            outside += usize::from(row.is_none());
            Some((row?, class.clone()))
        });
        let labels = labels.collect();
        if outside > 0 {
            return Err(Error::data(format!("{outside} of its rows have weight zero"))
                .in_file(place.labels.display().to_string())
                .hint("label them without --weights"));
        }
        let done = learner.reconcile(&labels).map_err(|e| e.in_file(place.labels.display().to_string()))?;
        if found.state.is_none() && done.added > 0 {
            notes.push(format!("{} row(s) were labelled in {} already", done.added, place.labels.display()));
        } else if found.state.is_some() && done.added + done.removed > 0 {
            notes.push(format!(
                "{} label(s) were added and {} removed since the last session",
                done.added, done.removed
            ));
        }
        if done.changed > 0 {
            notes.push(format!(
                "{} label(s) in {} are others than before, or than in the data: the file's count",
                done.changed,
                place.labels.display()
            ));
        }
        let written = found.labels.as_ref().map(|l| l.classes.clone()).unwrap_or_default();
        Ok(Session { learner, found, place, resumed: found.state.is_some(), written })
    }

    /// Writes labels and session. Rows that the data label themselves are left to the data.
    pub fn save(&mut self) -> Result<()> {
        let pool = &self.found.pool;
        let state = self.learner.state();
        let class = |event: &rebelboost::active::Event| {
            Some((pool.origin(event.row), state.classes[event.class? as usize].clone()))
        };
        let labels =
            Labels { target: pool.schema().target.clone(), classes: state.log.iter().filter_map(class).collect() };
        if self.written != labels.classes {
            labels.write(&self.place.labels)?;
            self.written = labels.classes;
        }
        let text = state.to_text();
        write_atomic(&self.place.session, |out| out.write_all(text.as_bytes()))
    }
}

/// A session brings its own settings, so that only changes need to be given.
fn settings(options: &Options, state: Option<&State>) -> Result<(Settings, ActiveSettings)> {
    let named = options.train.algorithm.as_deref();
    let mut settings = match state {
        Some(state) if named.is_none_or(|name| name == state.algorithm) => {
            let mut settings = Settings::new(&state.algorithm)?;
            state.settings.iter().try_for_each(|(name, value)| settings.set(name, &value.to_string()))?;
            settings
        }
        // Answers should not wait for a portfolio: something that learns in rounds.
        _ => {
            let given = [options.train.parameters.names(), vec!["rounds"]].concat();
            Settings::new(named.unwrap_or(algorithm_with(&given).name))?
        }
    };
    options.train.parameters.apply(|name, value| settings.set(name, value))?;
    let mut active = match state {
        Some(state) => state.active.clone(),
        None => ActiveSettings::new()?,
    };
    options.active.apply(|name, value| active.set(name, value))?;
    Ok((settings, active))
}

/// Costs, of all classes that are known before the first answer.
fn costs(options: &Options, found: &Found) -> Result<Option<ClassCosts>> {
    let train = &options.train;
    if train.costs.is_none() && train.taxonomy.is_none() {
        return Ok(None);
    }
    let mut names: Vec<String> = found.pool.classes().to_vec();
    let labelled = found.labels.iter().flat_map(|l| l.classes.values());
    let earlier = found.state.iter().flat_map(|s| &s.classes);
    for class in options.classes.iter().chain(labelled).chain(earlier) {
        if !names.contains(class) {
            names.push(class.clone());
        }
    }
    if names.len() < 2 {
        return Err(Error::option("with costs the classes must be known in advance").hint("name them with --classes"));
    }
    let matrix = files::load_costs(train.costs.as_deref(), train.taxonomy.as_deref(), &names)?;
    Ok(matrix.map(|matrix| ClassCosts { names, matrix }))
}
