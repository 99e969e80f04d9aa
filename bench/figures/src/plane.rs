//! Problems in the plane: points, maps of decisions, and trained boosters.

use crate::svg::{COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::context::Context;
use rebelboost::data::{Column, CostMatrix, Dataset, Features};
use rebelboost::model::Model;
use rebelboost::settings::Settings;

/// REBEL with this many trees of this depth, trained to the end.
pub fn rebel(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    rounds: usize,
    depth: usize,
    context: &Context,
) -> Result<Model> {
    let settings =
        Settings::new("rebel")?.with("rounds", rounds)?.with("min-rounds", rounds)?.with("depth", depth)?;
    Ok(train(data, costs, &settings, context, &mut ())?.model)
}

/// The first two features of a row.
pub fn point(data: &Dataset, row: usize) -> (f64, f64) {
    let value = |i: usize| match &data.features.columns[i] {
        Column::Numeric(column) => column.get(row),
        Column::Categorical(_) => f64::NAN,
    };
    (value(0), value(1))
}

/// Rows to predict, from points.
pub fn features(points: &[(f64, f64)]) -> Features {
    let columns = [points.iter().map(|p| p.0).collect(), points.iter().map(|p| p.1).collect()];
    Features { columns: columns.map(Column::numeric).into(), rows: points.len() }
}

/// Answers to the rows of a data set.
pub fn answers(model: &Model, data: &Dataset, context: &Context) -> Result<Vec<u32>> {
    model.decide(&model.scores(&data.features, context), None)
}

/// Ranges that hold all points, a little wider.
pub fn ranges(data: &Dataset) -> ((f64, f64), (f64, f64)) {
    let mut low = (f64::INFINITY, f64::INFINITY);
    let mut high = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (x, y) in (0..data.rows()).map(|row| point(data, row)) {
        low = (low.0.min(x), low.1.min(y));
        high = (high.0.max(x), high.1.max(y));
    }
    let wider = |low: f64, high: f64| (low - 0.03 * (high - low), high + 0.03 * (high - low));
    (wider(low.0, high.0), wider(low.1, high.1))
}

/// Draws what the model answers everywhere.
pub fn draw_decisions(svg: &mut Svg, panel: &Panel, model: &Model, context: &Context) -> Result<()> {
    const GRID: usize = 160;
    let along = |i: usize, (low, high): (f64, f64)| low + (i as f64 + 0.5) / GRID as f64 * (high - low);
    let cells: Vec<(f64, f64)> =
        (0..GRID * GRID).map(|i| (along(i % GRID, panel.x), along(i / GRID, panel.y))).collect();
    let classes = model.decide(&model.scores(&features(&cells), context), None)?;
    panel.regions(svg, GRID, &classes);
    Ok(())
}

/// Draws the rows, coloured by class; those that `answers` gets wrong are crosses.
pub fn draw_rows(svg: &mut Svg, panel: &Panel, data: &Dataset, answers: Option<&[u32]>, size: f64) {
    for class in 0..data.class_count() as u32 {
        let colour = COLOURS[class as usize % COLOURS.len()];
        let rows = (0..data.rows()).filter(|&row| data.labels[row] == class);
        let (right, wrong): (Vec<_>, Vec<_>) = rows.partition(|&row| answers.is_none_or(|a| a[row] == class));
        panel.points(svg, right.into_iter().map(|row| point(data, row)), colour, size);
        panel.crosses(svg, wrong.into_iter().map(|row| point(data, row)), colour);
    }
}
