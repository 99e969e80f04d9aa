//! The rows that a fold trains on and what its members share of them: made for the first that comes, dropped after the
//! last, so that memory holds the folds at work and no others.

use crate::booster::Prepared;
use crate::data::Dataset;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows, their bins and their points.
pub struct Ground {
    pub data: Dataset,
    pub prepared: Prepared,
}

/// Where the members of a fold find what they train on.
pub struct Meeting(Mutex<State>);

struct State {
    /// Members that have not left yet.
    awaited: usize,
    ground: Option<Arc<Ground>>,
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
    pub fn ground(&self, make: impl FnOnce() -> Ground) -> Arc<Ground> {
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
        let make = || Ground { data: data.clone(), prepared: Prepared::for_one() };
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
