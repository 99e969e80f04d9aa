//! Who is in the portfolio: which algorithms, with which settings, for which data.

use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::settings::Settings;

/// A candidate for the stack.
pub struct Member {
    /// What it is, for people and checkpoints.
    pub name: String,
    /// How it is trained.
    pub settings: Settings,
    /// Numbers of terms that are judged; the best one is kept. Empty: only the whole.
    pub stages: &'static [usize],
    /// Time to train it in units of the quickest member, as measured on pendigits and letter (those of two classes on magic
    /// and ring): for progress, and for what to leave out.
    pub effort: f64,
    /// Whether it sees categories of many levels as numbers.
    pub coded: bool,
}

/// Which members to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// All of them.
    Best,
    /// The kinds that bring most for their time.
    Fast,
    /// Those, of which the best one is kept.
    Single,
}

impl Preset {
    /// Words for `--preset`.
    pub const NAMES: &'static [&'static str] = &["best", "fast", "single"];

    /// The preset of this name.
    pub fn named(name: &str) -> Self {
        match name {
            "fast" => Preset::Fast,
            "single" => Preset::Single,
            _ => Preset::Best,
        }
    }
}

/// Rounds after which boosted trees are judged.
const TREE_STAGES: &[usize] = &[50, 100, 200];
/// Rounds after which REBEL's trees are judged.
const REBEL_STAGES: &[usize] = &[100, 300];
/// Rounds after which similarities are judged.
const SIMILARITY_STAGES: &[usize] = &[100, 200, 400];
/// Rows left out, one at a time, to choose the ridge of random pairs, at least and at most; a tenth between. Each costs as much as
/// a row of the fit for every ridge, and the folds judge the member anyway.
const LEFT_OUT: (usize, usize) = (500, 4000);
/// Random pairs at least.
const FEWEST_PAIRS: usize = 600;
/// Random pairs for each class at most, but a thousand for all: alone they are as good on magic (two classes, 14,265 rows) with
/// 1200 as with 2641, and the stack with 1000.
const PAIRS_A_CLASS: usize = 300;
/// Coded values (rows times features) above which four metrics are too dear: two are left.
const LARGE: usize = 10_000_000;
/// Features above which softmax trees do with fewer thresholds.
const MANY: usize = 100;
/// Classes above which similarities and networks, whose every term costs rows times classes, and forests, whose every leaf is as
/// long as there are classes, are left out.
const CROWD: usize = 100;
/// Coded values (rows times columns) above which networks are left out.
const VAST: usize = 50_000_000;
/// Columns above which discriminants, cubic in their number for each class, are left out.
const ROUND: usize = 150;
/// Rows from which rotation forests are left out: with 1,500 and more they had no weight in the stack, or changed nothing.
const ENOUGH: usize = 1200;
/// Trees of a rotation forest, at least and at most, and coded values times trees that are affordable: where a tree takes little time,
/// there are many.
const TURNED_TREES: (usize, usize) = (60, 300);
const TURNED_VALUES: usize = 600_000;
/// Rows in a leaf of the smoother of two forests.
const LARGE_LEAF: usize = 8;
/// Logistic regressions and their ridges, times the rows.
const LINES: [(&str, f64); 2] = [("logistic-regression", 0.1), ("logistic-regression strong ridge", 10.0)];
/// Rows for each slope of straight lines, as textbooks ask; with fewer they look better on rows left out than they are.
const ROWS_A_SLOPE: usize = 10;
/// Features above which whitening, cubic in their number, is left out.
const WIDE: usize = 1000;

/// The members for these data, the quickest first. `megabytes` bounds memory. What runs side by side on `threads` shares
/// it for caches, which change no result; random pairs, which are left out if it is too little, may each have all of it.
pub fn members(
    data: &Dataset,
    preset: Preset,
    keep_values: bool,
    megabytes: usize,
    threads: usize,
) -> Result<Vec<Member>> {
    let similarity = |settings: Settings, scaling: &str, megabytes: usize| -> Result<Settings> {
        settings
            .with("scaling", scaling)?
            .with("keep-values", if keep_values { "on" } else { "off" })?
            .with("memory-limit", megabytes.max(1))
    };
    let pairs = |scaling: &'static str| -> Result<Member> {
        Ok(Member {
            name: format!("random-pairs {scaling}"),
            settings: similarity(
                Settings::new("random-pairs")?
                    .with("pairs", pairs_of(data, preset))?
                    .with("left-out", (data.rows() / 10).clamp(LEFT_OUT.0, LEFT_OUT.1))?
                    // The folds calibrate it, by more rows; a factor of its own would differ from fold to fold by chance.
                    .with("calibrate", "off")?,
                scaling,
                megabytes,
            )?,
            stages: &[],
            effort: 3.0,
            coded: false,
        })
    };
    let chain = |scaling: &'static str| -> Result<Member> {
        let settings = Settings::new("rebel")?.with("learner", "similarity")?.with("rounds", 400)?;
        Ok(Member {
            name: format!("similarity {scaling}"),
            settings: similarity(settings.with("candidates", 6)?, scaling, megabytes / threads)?,
            stages: SIMILARITY_STAGES,
            effort: 2.0,
            coded: false,
        })
    };
    let best = preset == Preset::Best;
    let (two_classes, crowd) = (data.class_count() == 2, data.class_count() > CROWD);
    let metrics = metrics(data);
    let compared: &[&str] = match (best, two_classes) {
        (false, _) => &["standard", "whitened"],
        (true, true) => &["standard", "whitened", "raw"],
        (true, false) => &metrics,
    };
    let mut all = Vec::new();
    for metric in metrics.iter().filter(|metric| compared.contains(metric)) {
        all.push(pairs(metric)?);
    }
    if !crowd {
        all.push(Member {
            name: "forest".into(),
            settings: Settings::new("forest")?,
            stages: &[],
            effort: 1.5,
            coded: false,
        });
    }
    if !crowd && data.rows().saturating_mul(columns(data)) <= VAST {
        let settings = Settings::new("network")?
            .with("networks", if best { 2 } else { 1 })?
            .with("memory-limit", megabytes.max(1))?;
        all.push(Member {
            name: "network".into(),
            settings,
            stages: &[],
            effort: if best { 1.0 } else { 0.5 },
            coded: false,
        });
    }
    if !crowd && columns(data) <= ROUND {
        let settings =
            Settings::new("discriminant")?.with("calibrate", "off")?.with("memory-limit", megabytes.max(1))?;
        all.push(Member { name: "discriminant".into(), settings, stages: &[], effort: 0.3, coded: false });
    }
    // On two classes they change neither error nor log loss (docs/auto.md).
    if best && !two_classes && !crowd && data.rows() < ENOUGH && columns(data) <= ROUND && metrics.len() > 1 {
        let affordable = TURNED_VALUES / (data.rows() * columns(data)).max(1);
        let trees = affordable.clamp(TURNED_TREES.0, TURNED_TREES.1);
        let settings = Settings::new("rotation-forest")?.with("rounds", trees)?;
        all.push(Member { name: "rotation-forest".into(), settings, stages: &[], effort: 3.5, coded: false });
    }
    all.push(Member {
        name: "rebel trees".into(),
        settings: Settings::new("rebel")?
            .with("depth", 3)?
            .with("learning-rate", 0.3)?
            .with("rounds", 300)?
            .with("min-rounds", 300)?,
        stages: REBEL_STAGES,
        effort: 0.8,
        coded: true,
    });
    all.extend(straight_lines(data)?);
    if best {
        all.push(Member {
            name: "softmax-trees".into(),
            settings: Settings::new("softmax-trees")?.with("rounds", 200)?.with("bins", bins_of(data))?,
            stages: TREE_STAGES,
            effort: 1.0,
            coded: true,
        });
        // On two classes it changes neither error nor log loss (docs/auto.md).
        let preferred = ["within-class", "whitened", "standard"].into_iter().find(|metric| metrics.contains(metric));
        if let Some(metric) = preferred.filter(|_| !crowd && !two_classes) {
            all.push(chain(metric)?);
        }
    }
    if best && two_classes {
        // The noisiest problems are of two classes.
        let settings = Settings::new("forest")?.with("min-leaf", LARGE_LEAF)?;
        all.push(Member { name: "forest large leaves".into(), settings, stages: &[], effort: 1.2, coded: false });
    }
    all.sort_by(|a, b| a.effort.total_cmp(&b.effort));
    Ok(all)
}

/// Logistic regressions, where rows are many enough for all their slopes and values few enough for their time.
fn straight_lines(data: &Dataset) -> Result<Vec<Member>> {
    let (rows, columns) = (data.rows(), columns(data));
    let slopes = columns.saturating_mul(data.class_count().saturating_sub(1));
    if slopes.saturating_mul(ROWS_A_SLOPE) > rows || rows.saturating_mul(slopes) > LARGE {
        return Ok(Vec::new());
    }
    let line = |(name, ridge): (&str, f64)| {
        let settings = Settings::new("logistic-regression")?.with("ridge", ridge / rows as f64)?;
        Ok(Member { name: name.into(), settings, stages: &[], effort: 0.2, coded: false })
    };
    LINES.into_iter().map(line).collect()
}

/// Thresholds for softmax trees: all there are, but where features are many they stand in for one another, and time grows with
/// the thresholds.
fn bins_of(data: &Dataset) -> usize {
    if data.features.columns.len() > MANY { 64 } else { 255 }
}

/// Random pairs to draw: solving for them is quadratic in their number for each row. Where features are few, so are the
/// directions that pairs of many rows can tell apart.
fn pairs_of(data: &Dataset, preset: Preset) -> usize {
    let rows = data.rows();
    let (most, work) = match preset {
        Preset::Best => ((rows / 5).clamp(FEWEST_PAIRS, 3000), 1e10),
        Preset::Fast | Preset::Single => ((rows / 10).clamp(FEWEST_PAIRS, 1000), 5e9),
    };
    let affordable = (work * data.features.columns.len() as f64 / rows as f64).sqrt();
    let useful = (PAIRS_A_CLASS * data.class_count()).max(1000);
    most.min(useful).min((affordable as usize).max(FEWEST_PAIRS))
}

/// Columns of numbers, a level of a category being one.
fn columns(data: &Dataset) -> usize {
    let of = |column: &Column| match column {
        Column::Numeric(_) => 1,
        Column::Categorical(levels) => levels.levels.len(),
    };
    data.features.columns.iter().map(of).sum()
}

/// Ways to scale numbers that differ on these data. Comparisons do not feel a common factor, so one number alone can be
/// scaled in one way only; categories are never scaled.
fn metrics(data: &Dataset) -> Vec<&'static str> {
    let columns = &data.features.columns;
    let numbers = columns.iter().filter(|column| matches!(column, Column::Numeric(_))).count();
    let mut metrics = match numbers {
        0 => vec!["standard"],
        1 if columns.len() == 1 => vec!["standard"],
        _ if data.rows().saturating_mul(columns.len()) > LARGE => vec!["standard", "whitened"],
        _ => vec!["standard", "whitened", "within-class", "raw"],
    };
    if columns.len() > WIDE {
        metrics.retain(|metric| *metric != "whitened");
    }
    metrics
}
