//! Windows of all levels: stripes of rows, each with integral images of its own that stay in the cache, shared among
//! threads and put together in order.
//!
//! OpenCV's order of questions is kept exactly: a window turned down by the first stage skips the window after it, one
//! that is too even does not. But the first stage is asked for a whole row of windows at once, which vectors do faster
//! than one by one with the skipping.

use super::plan::{Layout, Norm, Plan, Question};
use super::pyramid::Level;
use super::{Candidate, Place};
use crate::cascade::{Cascade, Features};
use crate::geometry::{Rect, Size};
use crate::image::Gray;
use crate::integral::{add_row, tilt_row};
use crate::resize::{Axis, Rows};
use rebelboost::context::Context;

/// Rows of windows in a stripe, in heights of the window: more means less done twice, fewer a smaller cache.
const STRIPE: usize = 4;

pub(super) fn scan(cascade: &Cascade, image: &Gray, levels: &[Level], context: &Context) -> Vec<Candidate> {
    match &cascade.features {
        Features::Haar(features) => {
            run(cascade, image, levels, context, |layout| Plan::haar(cascade, features, layout), true)
        }
        Features::Lbp(cells) => {
            run(cascade, image, levels, context, |layout| Plan::lbp(cascade, cells, layout), false)
        }
    }
}

/// A level with its tables.
struct Ready<'a> {
    number: usize,
    level: &'a Level,
    across: Axis,
    down: Axis,
}

fn run<Q: Question>(
    cascade: &Cascade,
    image: &Gray,
    levels: &[Level],
    context: &Context,
    plan: impl Fn(Layout) -> Plan<Q>,
    judges_spread: bool,
) -> Vec<Candidate> {
    let Some(widest) = levels.iter().map(|level| level.size.width as usize).max() else { return Vec::new() };
    let window = cascade.window;
    let stripe = STRIPE * window.height as usize;
    let ready: Vec<Ready<'_>> = levels
        .iter()
        .enumerate()
        .map(|(number, level)| Ready {
            number,
            level,
            across: Axis::new(image.width(), level.size.width as usize),
            down: Axis::new(image.height(), level.size.height as usize),
        })
        .collect();
    // One plan a step, if there are levels of it.
    let scanner = |step: usize| {
        let layout = Layout::new(widest, stripe + window.height as usize + 1, step);
        let plan = plan(layout);
        Scanner {
            plan,
            norm: judges_spread.then(|| Norm::new(window, layout)),
            layout,
            window,
            tilted: cascade.is_tilted(),
        }
    };
    let scanners = [1, 2].map(|step| levels.iter().any(|level| level.step == step).then(|| scanner(step)));
    let places = |size: u32, window: u32| (size + 1).saturating_sub(window) as usize;
    let mut jobs = Vec::new();
    for ready in &ready {
        let rows = places(ready.level.size.height, window.height);
        jobs.extend((0..rows).step_by(stripe).map(|top| (ready, top..rows.min(top + stripe))));
    }
    let work = levels.iter().map(|level| 20 * level.size.width as usize * level.size.height as usize).sum();
    let found = context.map_with(jobs.len(), work, Scratch::default, |scratch, job| {
        let (ready, rows) = &jobs[job];
        let Some(scanner) = &scanners[ready.level.step - 1] else { return Vec::new() };
        scanner.fill(image, ready, rows.clone(), scratch);
        let columns = places(ready.level.size.width, window.width).div_ceil(ready.level.step);
        let mut found = Vec::new();
        for y in rows.clone().step_by(ready.level.step) {
            pulp::Arch::new().dispatch(Row {
                scanner,
                scratch,
                row: y - rows.start,
                columns,
                found: &mut |at, margin| {
                    found.push(candidate(ready, at * ready.level.step, y, margin));
                },
            });
        }
        found
    });
    found.into_iter().flatten().collect()
}

fn candidate(ready: &Ready<'_>, x: usize, y: usize, margin: f64) -> Candidate {
    let place = |at: usize| (at as f32 * ready.level.scale).round_ties_even() as i32;
    let Size { width, height } = ready.level.object;
    let rect = Rect::new(place(x), place(y), width as i32, height as i32);
    Candidate { rect, margin, place: Place { level: ready.number, x, y } }
}

/// Memory of one thread.
#[derive(Default)]
struct Scratch {
    /// Sums, and tilted sums after them.
    sums: Vec<i32>,
    squares: Vec<i32>,
    pixels: [Vec<u8>; 2],
    line: [Vec<i32>; 3],
    factors: Vec<f32>,
    /// Sums of the first stage.
    first: Vec<f64>,
    /// What each node of a tree answers, `[node][window]`.
    answers: Vec<f32>,
}

struct Scanner<Q> {
    plan: Plan<Q>,
    norm: Option<Norm>,
    layout: Layout,
    window: Size,
    tilted: bool,
}

impl<Q: Question> Scanner<Q> {
    /// Integral images of the rows of a level that windows with their tops in `rows` cover.
    fn fill(&self, image: &Gray, ready: &Ready<'_>, rows: std::ops::Range<usize>, scratch: &mut Scratch) {
        let Layout { stride, rows: capacity, .. } = self.layout;
        let width = ready.level.size.width as usize;
        let height = rows.len() + self.window.height as usize - 1;
        let Scratch { sums, squares, pixels: [pixels, before], line, .. } = scratch;
        // Windows at the end of a row may look past it, at numbers that are not used.
        sums.resize(stride * capacity * (1 + usize::from(self.tilted)) + stride, 0);
        squares.resize(stride * capacity + stride, 0);
        pixels.resize(width, 0);
        before.resize(width, 0);
        line.iter_mut().for_each(|line| line.resize(width + 1, 0));
        let mut source = Rows::new(image, &ready.across, &ready.down);
        let (upper, tilted) = sums.split_at_mut(stride * capacity);
        upper[..stride].fill(0);
        squares[..stride].fill(0);
        let [zero, above, twice] = line;
        if self.tilted {
            tilted[..stride].fill(0);
            [&mut *zero, &mut *above, &mut *twice].into_iter().for_each(|line| line.fill(0));
        }
        for y in 0..height {
            source.row(rows.start + y, pixels);
            self.add(pixels, y, upper, |p| p);
            if self.norm.is_some() {
                self.add(pixels, y, squares, |p| p * p);
            }
            if self.tilted {
                tilt_row(pixels, (y > 0).then_some(&before[..]), above, if y > 0 { twice } else { &[] }, zero);
                let row = &mut tilted[(y + 1) * stride..];
                zero.iter().enumerate().for_each(|(x, v)| row[self.layout.column(x)] = *v);
                std::mem::swap(twice, above);
                std::mem::swap(above, zero);
                std::mem::swap(pixels, before);
            }
        }
    }

    /// Row `y + 1` of an integral image in the layout.
    fn add(&self, pixels: &[u8], y: usize, sums: &mut [i32], of: impl Fn(i32) -> i32) {
        let stride = self.layout.stride;
        let (above, here) = sums[y * stride..].split_at_mut(stride);
        if self.layout.step == 1 {
            return add_row(pixels, above, &mut here[..pixels.len() + 1], of);
        }
        let ((above_even, above_odd), (even, odd)) =
            (above.split_at(stride / 2), here[..stride].split_at_mut(stride / 2));
        let mut row = 0i32;
        even[0] = 0;
        // Pixels 2i and 2i + 1 end at the columns 2i + 1 and 2i + 2.
        let pairs = pixels.chunks_exact(2);
        let rest = pairs.remainder();
        for (i, pair) in pairs.enumerate() {
            row = row.wrapping_add(of(i32::from(pair[0])));
            odd[i] = above_odd[i].wrapping_add(row);
            row = row.wrapping_add(of(i32::from(pair[1])));
            even[i + 1] = above_even[i + 1].wrapping_add(row);
        }
        if let [last] = rest {
            let i = pixels.len() / 2;
            odd[i] = above_odd[i].wrapping_add(row.wrapping_add(of(i32::from(*last))));
        }
    }

    /// All windows of a row; `found` is told which pass, and by what margin.
    #[inline(always)]
    fn row(&self, scratch: &mut Scratch, row: usize, columns: usize, found: &mut dyn FnMut(usize, f64)) {
        let Scratch { sums, squares, factors, first, answers, .. } = scratch;
        let base = row * self.layout.stride;
        let (sums, squares) = (&sums[base..], &squares[base..]);
        factors.resize(columns, 1.0);
        if let Some(norm) = &self.norm {
            norm.row(sums, squares, factors);
        }
        self.first_stage(sums, factors, first, answers);
        let stage = &self.plan.stages[0];
        let mut at = 0;
        while at < columns {
            let factor = factors[at];
            let sum = first[at];
            if factor == 0.0 {
                at += 1;
            } else if sum < stage.threshold {
                at += 2;
            } else {
                if let Some(margin) = self.later_stages(&sums[at..at + self.plan.reach], factor, sum) {
                    found(at, margin);
                }
                at += 1;
            }
        }
    }

    /// The sums of the first stage for a row of windows.
    #[inline(always)]
    fn first_stage(&self, sums: &[i32], factors: &[f32], first: &mut Vec<f64>, answers: &mut Vec<f32>) {
        let plan = &self.plan;
        let n = factors.len();
        first.clear();
        first.resize(n, 0.0);
        let stage = &plan.stages[0];
        for tree in stage.first..stage.end {
            let ((root, leaf), (end, _)) = (plan.trees[tree], plan.trees[tree + 1]);
            let (root, leaf) = (root as usize, leaf as usize);
            let nodes = &plan.nodes[root..end as usize];
            if let [node] = nodes {
                let [left, right] =
                    [node.left, node.right].map(|child| f64::from(plan.leaves[leaf + child.unsigned_abs() as usize]));
                let first = &mut first[..n];
                node.question.row(sums, factors, |i, goes_left| first[i] += if goes_left { left } else { right });
                continue;
            }
            // From the last node to the first: what a node answers follows from its children, which come later.
            answers.resize(answers.len().max(nodes.len() * n), 0.0);
            for (number, node) in nodes.iter().enumerate().rev() {
                let (own, later) = answers[number * n..].split_at_mut(n);
                let child = |child: i32| match child {
                    1.. => (0.0, &later[(child as usize - number - 1) * n..][..n]),
                    _ => (plan.leaves[leaf + child.unsigned_abs() as usize], &[][..]),
                };
                let ((left, lefts), (right, rights)) = (child(node.left), child(node.right));
                node.question.row(sums, factors, |i, goes_left| {
                    let (value, values) = if goes_left { (left, lefts) } else { (right, rights) };
                    own[i] = if values.is_empty() { value } else { values[i] };
                });
            }
            first.iter_mut().zip(&answers[..n]).for_each(|(sum, answer)| *sum += f64::from(*answer));
        }
    }

    /// The margin over the thresholds that count of a window that passed the first stage, if it passes all.
    #[inline(always)]
    fn later_stages(&self, sums: &[i32], factor: f32, first: f64) -> Option<f64> {
        let plan = &self.plan;
        let mut sum = first;
        let mut margin = if plan.judged == 0 { first - plan.stages[0].threshold } else { 0.0 };
        for (number, stage) in plan.stages.iter().enumerate().skip(1) {
            if !plan.carries {
                sum = 0.0;
            }
            if plan.stumps {
                for (node, leaves) in
                    plan.nodes[stage.first..stage.end].iter().zip(plan.leaves[2 * stage.first..].chunks_exact(2))
                {
                    let child = if node.question.goes_left(sums, factor) { node.left } else { node.right };
                    sum += f64::from(leaves[child.unsigned_abs() as usize & 1]);
                }
            } else {
                for tree in stage.first..stage.end {
                    sum += f64::from(plan.tree(tree, sums, factor));
                }
            }
            if sum < stage.threshold {
                return None;
            }
            if number >= plan.judged {
                margin += sum - stage.threshold;
            }
        }
        Some(margin)
    }
}

/// A function that `pulp` compiles once for each instruction set; everything below it must be inlined.
struct Row<'a, Q> {
    scanner: &'a Scanner<Q>,
    scratch: &'a mut Scratch,
    row: usize,
    columns: usize,
    found: &'a mut dyn FnMut(usize, f64),
}

impl<Q: Question> pulp::NullaryFnOnce for Row<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.scanner.row(self.scratch, self.row, self.columns, self.found);
    }
}
