//! What trainings on the same rows have in common: the rows in bins, and as points in each metric. Each is made when it is
//! first asked for, from those rows alone, and then shared; what is made does not depend on who asks first.

use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::similarity::{Placed, Scaling, place};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bins and points of one set of rows. Shared by threads; all must ask for the same rows.
pub struct Prepared {
    bins: Shelf<usize, BinnedDataset>,
    placed: Shelf<Scaling, Placed>,
    /// Bytes that may still be kept.
    room: AtomicUsize,
}

impl Prepared {
    /// Keeps so many bytes for the next who asks; what does not fit is made again, to the same result.
    pub fn within(bytes: usize) -> Self {
        Prepared { bins: Shelf::default(), placed: Shelf::default(), room: AtomicUsize::new(bytes) }
    }

    /// For one training: nothing is kept.
    pub fn for_one() -> Self {
        Self::within(0)
    }

    /// The rows in at most so many bins a feature.
    pub fn bins(&self, data: &Dataset, bins: usize, context: &Context) -> Result<Arc<BinnedDataset>> {
        let keep = |made: &BinnedDataset| self.fits(made.bytes());
        self.bins.get(bins, keep, || Ok(BinnedDataset::new(data, bins, context)))
    }

    /// The rows as points.
    pub fn points(&self, data: &Dataset, scaling: Scaling, context: &Context) -> Result<Arc<Placed>> {
        self.placed.get(scaling, |made| self.fits(made.bytes()), || place(data, scaling, context))
    }

    fn fits(&self, bytes: usize) -> bool {
        let less = |room: usize| room.checked_sub(bytes);
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// Things by what they were made with.
struct Shelf<K, T>(Mutex<Vec<(K, Place<T>)>>);

/// Locked while the thing is made, so that whoever else needs it waits instead of making it too.
type Place<T> = Arc<Mutex<Option<Arc<T>>>>;

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Self {
        Shelf(Mutex::new(Vec::new()))
    }
}

impl<K: Copy + PartialEq, T> Shelf<K, T> {
    fn get(&self, key: K, keep: impl Fn(&T) -> bool, make: impl Fn() -> Result<T>) -> Result<Arc<T>> {
        let place = self.place(key);
        let mut place = lock(&place);
        if let Some(made) = &*place {
            return Ok(made.clone());
        }
        let made = Arc::new(make()?);
        *place = keep(&made).then(|| made.clone());
        Ok(made)
    }

    fn place(&self, key: K) -> Place<T> {
        let mut places = lock(&self.0);
        if let Some((_, place)) = places.iter().find(|(known, _)| *known == key) {
            return place.clone();
        }
        let place = Place::default();
        places.push((key, place.clone()));
        place
    }
}

/// A thread that panicked left either nothing or the whole thing behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Roles, synthetic};

    fn data() -> Dataset {
        Dataset::from_table(&synthetic::penguins().unwrap(), &Roles::default(), &mut Vec::new()).unwrap()
    }

    #[test]
    fn everyone_gets_the_same_and_each_metric_its_own() {
        let (data, context, prepared) = (data(), Context::new(0, 1).unwrap(), Prepared::within(1 << 20));
        let points = |scaling| prepared.points(&data, scaling, &context).unwrap();
        let bins = |bins| prepared.bins(&data, bins, &context).unwrap();
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (points(Scaling::Whitened), bins(64)))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (placed, binned) in &all {
            assert!(Arc::ptr_eq(placed, &all[0].0) && Arc::ptr_eq(binned, &all[0].1));
        }
        assert_eq!(all[0].0.points, place(&data, Scaling::Whitened, &context).unwrap().points);
        assert_ne!(points(Scaling::Standard).points, all[0].0.points);
        assert_ne!(bins(8).maps, all[0].1.maps);
    }

    #[test]
    fn what_does_not_fit_is_made_again() {
        let (data, context) = (data(), Context::new(0, 1).unwrap());
        let size = place(&data, Scaling::Raw, &context).unwrap().bytes();
        assert!(size >= data.rows() * 4);
        let prepared = Prepared::within(size);
        let points = |scaling| prepared.points(&data, scaling, &context).unwrap();
        assert!(Arc::ptr_eq(&points(Scaling::Raw), &points(Scaling::Raw)));
        let (once, twice) = (points(Scaling::Standard), points(Scaling::Standard));
        assert!(!Arc::ptr_eq(&once, &twice) && once.points == twice.points);
    }
}
