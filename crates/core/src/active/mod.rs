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
