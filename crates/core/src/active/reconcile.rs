//! Labels that come from outside the session: a file that a person owns, and may have edited.

use super::{ActiveLearner, Event};
use crate::data::UNSEEN_CLASS;
use crate::error::Result;
use std::collections::{BTreeMap, HashMap};

/// How a session was changed to agree with a file of labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Labels that were new.
    pub added: usize,
    /// Labels that were others before.
    pub changed: usize,
    /// Answers that the file does not hold any more.
    pub removed: usize,
}

impl ActiveLearner<'_> {
    /// Takes these labels, by row of the pool, as the truth: the session's own answers become the same. An open
    /// question that they answer counts as answered.
    pub fn reconcile(&mut self, labels: &BTreeMap<usize, String>) -> Result<Reconciled> {
        labels.keys().try_for_each(|&row| self.check_row(row))?;
        let mut done = Reconciled::default();
        let before = self.state.log.len();
        self.state.log.retain(|e| e.class.is_none() || labels.contains_key(&e.row));
        done.removed = before - self.state.log.len();
        let place: HashMap<usize, usize> = self.state.log.iter().enumerate().map(|(i, e)| (e.row, i)).collect();
        for (&row, name) in labels {
            let class = self.class_named(name)?;
            match place.get(&row).map(|i| &mut self.state.log[*i]) {
                Some(event) if event.class == Some(class) => {}
                Some(event) => {
                    if event.class.is_some() {
                        done.changed += 1
                    } else {
                        done.added += 1
                    };
                    event.class = Some(class);
                }
                None => {
                    match self.labels[row] {
                        UNSEEN_CLASS => done.added += 1,
                        known if known != class => done.changed += 1,
                        _ => {}
                    }
                    let asked =
                        self.state.pending.iter().position(|q| q.row == row).map(|i| self.state.pending.remove(i));
                    let random = asked.as_ref().is_some_and(|q| q.reason.is_random());
                    self.state.log.push(Event {
                        row,
                        class: Some(class),
                        random,
                        given: asked.is_none(),
                        new: false,
                    });
                }
            }
        }
        self.refresh()?;
        Ok(done)
    }
}
