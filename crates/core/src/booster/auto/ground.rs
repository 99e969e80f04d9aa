//! The rows that a fold trains on and what its members share of them: made for the first that comes, dropped after the
//! last, so that memory holds the folds at work and no others.

use super::levels::Coded;
use crate::booster::Prepared;
use crate::context::Context;
use crate::data::Dataset;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Rows, their bins and their points.
pub struct Ground<'a> {
    pub data: Cow<'a, Dataset>,
    pub prepared: Prepared,
    /// The same with categories of many levels as numbers, once somebody needs it.
    coded: OnceLock<Option<Coded>>,
}

impl<'a> Ground<'a> {
    /// These rows; `room` is for what is shared.
    pub fn new(data: Cow<'a, Dataset>, room: usize) -> Self {
        Ground { data, prepared: Prepared::within(room), coded: OnceLock::new() }
    }

    /// With categories of many levels as numbers; `None` if there are none.
    pub fn coded(&self, room: usize, context: &Context) -> Option<&Coded> {
        self.coded.get_or_init(|| Coded::new(&self.data, room, context)).as_ref()
    }
}

/// Where the members of a fold find what they train on.
pub struct Meeting(Mutex<State>);

struct State {
    /// Members that have not left yet.
    awaited: usize,
    ground: Option<Arc<Ground<'static>>>,
}

impl Meeting {
    /// Of so many members, each of which visits once.
    pub fn of(members: usize) -> Self {
        Meeting(Mutex::new(State { awaited: members, ground: None }))
    }

    /// A member is at work until the visit ends.
    pub fn visit(&self) -> Visit<'_> {
        Visit(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A member at work.
pub struct Visit<'a>(&'a Meeting);

impl Visit<'_> {
    /// Made now if nobody needed it before.
    pub fn ground(&self, make: impl FnOnce() -> Ground<'static>) -> Arc<Ground<'static>> {
        self.0.state().ground.get_or_insert_with(|| Arc::new(make())).clone()
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.awaited = state.awaited.saturating_sub(1);
        if state.awaited == 0 {
            state.ground = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Roles, synthetic};

    #[test]
    fn the_last_one_turns_off_the_light() {
        let data = Dataset::from_table(&synthetic::penguins().unwrap(), &Roles::default(), &mut Vec::new()).unwrap();
        let make = || Ground::new(Cow::Owned(data.clone()), 0);
        let meeting = Meeting::of(3);
        let (a, b) = (meeting.visit(), meeting.visit());
        let ground = a.ground(make);
        assert!(Arc::ptr_eq(&ground, &b.ground(make)));
        // One that needs nothing counts too.
        drop((a, b));
        assert_eq!(Arc::strong_count(&ground), 2);
        drop(meeting.visit());
        assert_eq!(Arc::strong_count(&ground), 1);
    }
}
