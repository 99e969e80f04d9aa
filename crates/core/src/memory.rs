//! How much memory training may use when nobody says.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// What is assumed where the machine does not tell: one gigabyte.
const ASSUMED: u64 = 1 << 30;

/// A quarter of the machine's memory, or of what the process's control group allows, in bytes. It bounds caches and
/// never changes a result.
pub fn share() -> usize {
    let machine =
        System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()));
    let total = machine.cgroup_limits().map_or(machine.total_memory(), |limits| limits.total_memory);
    let quarter = if total == 0 { ASSUMED } else { total / 4 };
    usize::try_from(quarter).unwrap_or(usize::MAX)
}

/// What trees take beside the table, in bytes: codes by column and by row; scores, slopes and fixed-point weights of every class; a
/// few numbers a row (docs/speed.md).
pub fn of_trees(rows: usize, features: usize, classes: usize) -> usize {
    rows.saturating_mul(features.saturating_mul(2).saturating_add(classes.saturating_mul(20)).saturating_add(64))
}
