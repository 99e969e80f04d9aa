//! How much memory may training use, and how much will it?

use crate::booster::softmax_trees::MOST_EXACT;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learner::tree::depth;
use crate::settings::{Kind, Parameter, Settings};
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

/// `--memory-limit`.
pub const MEMORY_LIMIT: Parameter = Parameter {
    name: "memory-limit",
    kind: Kind::IntegerOrAuto(1, 1 << 24),
    default: "auto",
    help: "megabytes for rows and distances of similarities (auto = a quarter of what the machine has), and for what trees take beside the table (auto = as much as they need)",
};

/// Refuses trees that would take more than the settings allow beside the table, and says how much they need.
pub(crate) fn check_trees(settings: &Settings, data: &Dataset) -> Result<()> {
    let Some(limit) = settings.integer_or_auto(MEMORY_LIMIT.name)? else { return Ok(()) };
    let needed = of_trees(settings, data.rows(), data.features.columns.len(), data.class_count())?.div_ceil(1 << 20);
    if needed <= limit {
        return Ok(());
    }
    Err(Error::data(format!("training needs about {needed} MB beside the table, and {limit} are allowed"))
        .hint(format!("set --memory-limit {needed} or more, or use fewer rows")))
}

/// About what trees take beside the table, in bytes (docs/speed.md): codes by column and by row, numbers of every row and
/// class, thresholds of every feature, and sums by bin of leaves that wait for their children.
pub fn of_trees(settings: &Settings, rows: usize, features: usize, classes: usize) -> Result<usize> {
    let a_class = class_bytes(settings.algorithm().name, classes);
    let a_row = features.saturating_mul(2).saturating_add(classes.saturating_mul(a_class)).saturating_add(64);
    let thresholds = features.saturating_mul(2048);
    let sums = sums_of_leaves(settings, features, classes)?;
    Ok(rows.saturating_mul(a_row).saturating_add(thresholds).saturating_add(sums))
}

/// Bytes for each row and class: scores, and what an algorithm makes of them. As measured on 20,000 rows of 100 and 1,000
/// classes.
fn class_bytes(algorithm: &str, classes: usize) -> usize {
    match algorithm {
        // A number for every pair of classes.
        "one-vs-one" => classes.saturating_mul(4).saturating_add(8),
        "l2boost" | "gentle-mh" | "gel-mcboost" | "gll-mcboost" | "structboost" => 40,
        "aoso-logitboost" | "gd-mcboost" | "one-vs-all" => 24,
        "gamble" | "samme" | "adaboost-m1" | "samme-r" | "logitboost" => 10,
        _ => 20,
    }
}

/// Sums are 32 bits for each of 256 bins: a number for trees of signs, one a class for trees of regions. Those of more than
/// two classes under REBEL are not kept, since weights change from layer to layer.
fn sums_of_leaves(settings: &Settings, features: usize, classes: usize) -> Result<usize> {
    const BINS: usize = 1 << 10;
    /// A leaf whose sums find no room is added up anew.
    const KEPT: usize = 256 << 20;
    let has = |name: &str| settings.values().contains_key(name);
    let leaf = features.saturating_mul(BINS);
    Ok(if has("leaves") {
        // Above so many classes, gradients are sketched.
        let classes = if settings.algorithm().name == "softmax-trees" { classes.min(MOST_EXACT) } else { classes };
        let leaf = leaf.saturating_mul(classes.next_multiple_of(4)).max(1);
        leaf.saturating_mul(settings.integer("leaves")?.min(KEPT / leaf).max(1) + 2)
    } else if has("pruning") && (classes == 2 || settings.algorithm().name != "rebel") {
        leaf.saturating_mul(1 << (depth(settings)? - 1)).min(KEPT)
    } else {
        0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ALGORITHMS, Method};
    use proptest::prelude::*;

    proptest! {
        /// No size overflows, and more of anything never needs less.
        #[test]
        fn need_grows_with_everything(rows in 0..usize::MAX, features in 0..usize::MAX, classes in 1..usize::MAX / 8) {
            for algorithm in ALGORITHMS.iter().filter(|algorithm| matches!(algorithm.method, Method::Rounds(_))) {
                let settings = Settings::new(algorithm.name).unwrap();
                let need = |rows, features, classes| of_trees(&settings, rows, features, classes).unwrap();
                let all = need(rows, features, classes);
                prop_assert!(need(rows / 2, features, classes) <= all);
                prop_assert!(need(rows, features, classes / 2) <= all.saturating_add(1 << 30));
                // The sums of a leaf more are kept or not.
                prop_assert!(need(rows, features / 2, classes) <= all.saturating_add(1 << 30));
            }
        }
    }
}
