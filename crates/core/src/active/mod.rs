//! Learning with few labels: which rows are worth a person's time (GAMBLE thesis ch. 4, Algorithm 4)?
//!
//! A [`Pool`] holds rows, few of them labelled. The [`ActiveLearner`] trains on those, asks for the rows that would
//! teach most ([`query`](ActiveLearner::query)), is told their classes ([`teach`](ActiveLearner::teach)), and begins
//! anew with the next batch. Any registered booster will do: only its scores are needed. The [`State`] is all a
//! session must keep; from it the same questions follow.
//!
//! Deviations from Algorithm 4, each with a parameter that switches it off: no near-duplicates within one batch
//! (`diversity`), now and then a random row so that the error can be estimated without bias (`check`), a random part
//! of the pool is judged when it is large (`pool-sample`; the thesis suggests it). Equal utilities are asked in random
//! order: the order of the file must not decide.
//!
//! ```
//! use rebelboost::active::{ActiveLearner, ActiveSettings, Pool};
//! use rebelboost::{context::Context, data::Roles, data::synthetic, settings::Settings};
//!
//! # fn main() -> rebelboost::Result<()> {
//! let table = synthetic::generate("builtin:penguins")?;
//! let (context, roles) = (Context::new(0, 1)?, Roles { ignore: vec!["species".into()], ..Roles::default() });
//! let pool = Pool::from_table(&table, &roles, &context, &mut Vec::new())?;
//! let (booster, active) = (Settings::new("rebel")?, ActiveSettings::new()?);
//! let mut learner = ActiveLearner::new(&pool, booster, active, None, context)?;
//! while let Some(query) = learner.query()? {
//!     let species = table.column("species").map(|c| c.text(pool.origin(query.row)));
//!     learner.teach(query.row, &species.unwrap_or_default())?;
//!     if learner.state().log.len() == 30 {
//!         break;
//!     }
//! }
//! assert_eq!(learner.model()?.map(|model| model.schema.classes.len()), Some(3));
//! # Ok(())
//! # }
//! ```

mod choose;
mod costs;
mod curve;
mod estimate;
mod hint;
mod learner;
mod pool;
mod reason;
mod reconcile;
mod settings;
mod simulate;
mod state;
mod step;
mod trainer;
mod utility;

pub use costs::ClassCosts;
pub use curve::{Curve, Summary, rows_to_reach};
pub use estimate::Estimate;
pub use hint::Hint;
pub use learner::ActiveLearner;
pub use pool::Pool;
pub use reason::{Query, Reason};
pub use reconcile::Reconciled;
pub use settings::{ActiveSettings, PARAMETERS, Seeding, Strategy};
pub use simulate::{Known, SIMULATION_PARAMETERS, SimulationSettings, simulate};
pub use state::{Event, State, Step};
pub use utility::{entropy, expected_cost, margin, vote_entropy};
