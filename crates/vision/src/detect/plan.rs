//! A cascade made ready for one layout of integral images: offsets instead of rectangles, in the order they are asked.

use crate::cascade::{Cascade, Test, Tree};
use crate::geometry::{Rect, Size};
use crate::haar::{HaarFeature, Part};
use crate::lbp;

/// How rows of integral images lie in memory. Windows two pixels apart are neighbours if even columns come first and odd
/// ones after them; so a row of windows is always read in one piece.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Pixels from one window to the next: 1 or 2.
    pub step: usize,
    /// Numbers a row.
    pub stride: usize,
    /// Rows of a plane; the tilted sums are the plane after the sums.
    pub rows: usize,
}

impl Layout {
    pub fn new(width: usize, rows: usize, step: usize) -> Self {
        Layout { step, stride: (width + 1).next_multiple_of(2), rows }
    }

    /// Place of a column in its row.
    #[inline]
    pub fn column(&self, x: usize) -> usize {
        if self.step == 1 { x } else { (x & 1) * (self.stride / 2) + x / 2 }
    }

    fn offset(&self, (x, y): (i32, i32)) -> u32 {
        (y as usize * self.stride + self.column(x as usize)) as u32
    }
}

/// What a window is asked: a node's feature and test in one.
pub(super) trait Question: Send + Sync {
    /// Whether the window whose sums begin here goes left. `factor` is one over its deviation.
    fn goes_left(&self, sums: &[i32], factor: f32) -> bool;
    /// The same for windows side by side: `answer` is told the number of the window and where it goes.
    fn row(&self, sums: &[i32], factors: &[f32], answer: impl FnMut(usize, bool));
    /// The largest offset it reads.
    fn reach(&self) -> usize;
}

/// A Haar feature below a threshold.
pub(super) struct HaarQuestion {
    at: [[u32; 4]; 3],
    weights: [f32; 3],
    threshold: f32,
    three: bool,
}

/// A pattern in a set.
pub(super) struct LbpQuestion {
    at: [u32; 16],
    set: [u32; 8],
}

/// A node whose children are nodes (above zero) or leaves (minus their number) of the plan.
pub(super) struct PlanNode<Q> {
    pub question: Q,
    pub left: i32,
    pub right: i32,
}

/// A stage: its trees as ranges of nodes, and its threshold.
pub(super) struct PlanStage {
    /// Position of the first tree.
    pub first: usize,
    /// Position after the last.
    pub end: usize,
    pub threshold: f64,
}

/// The cascade, flat.
pub(super) struct Plan<Q> {
    pub nodes: Vec<PlanNode<Q>>,
    pub leaves: Vec<f32>,
    /// First node and first leaf of each tree; one more at the end.
    pub trees: Vec<(u32, u32)>,
    pub stages: Vec<PlanStage>,
    pub carries: bool,
    /// The first stage whose margin counts for the score.
    pub judged: usize,
    /// Whether every tree has one node and two leaves.
    pub stumps: bool,
    /// Numbers a window may read from its first on.
    pub reach: usize,
}

impl<Q: Question> Plan<Q> {
    fn new(cascade: &Cascade, question: impl Fn(u32, &Test) -> Q) -> Self {
        let mut plan = Plan {
            nodes: Vec::new(),
            leaves: Vec::new(),
            trees: Vec::new(),
            stages: Vec::new(),
            carries: cascade.carries,
            judged: cascade.stages.len().saturating_sub(cascade.calibration.stages),
            stumps: true,
            reach: 0,
        };
        for stage in &cascade.stages {
            let first = plan.trees.len();
            stage.trees.iter().for_each(|tree| plan.add(tree, &question));
            plan.stages.push(PlanStage { first, end: plan.trees.len(), threshold: f64::from(stage.threshold) });
        }
        plan.trees.push((plan.nodes.len() as u32, plan.leaves.len() as u32));
        plan.reach = plan.nodes.iter().map(|node| node.question.reach() + 1).max().unwrap_or(0);
        plan
    }

    fn add(&mut self, tree: &Tree, question: &impl Fn(u32, &Test) -> Q) {
        self.trees.push((self.nodes.len() as u32, self.leaves.len() as u32));
        self.stumps &= tree.nodes.len() == 1 && tree.leaves.len() == 2;
        let nodes = tree.nodes.iter().map(|node| PlanNode {
            question: question(node.feature, &node.test),
            left: node.left,
            right: node.right,
        });
        self.nodes.extend(nodes);
        self.leaves.extend(&tree.leaves);
    }

    /// What a tree adds to the sum of a window.
    #[inline]
    pub fn tree(&self, tree: usize, sums: &[i32], factor: f32) -> f32 {
        let (root, leaf) = self.trees[tree];
        let mut at = 0;
        loop {
            let node = &self.nodes[root as usize + at as usize];
            at = if node.question.goes_left(sums, factor) { node.left } else { node.right };
            if at <= 0 {
                return self.leaves[leaf as usize + at.unsigned_abs() as usize];
            }
        }
    }
}

impl Plan<HaarQuestion> {
    pub fn haar(cascade: &Cascade, features: &[HaarFeature], layout: Layout) -> Self {
        Self::new(cascade, |feature, test| {
            // Nothing is below it: a question of the other kind, which `Cascade::check` refuses, goes right.
            let threshold = if let Test::Below(threshold) = test { *threshold } else { f32::NEG_INFINITY };
            HaarQuestion::new(&features[feature as usize], threshold, layout)
        })
    }
}

impl Plan<LbpQuestion> {
    pub fn lbp(cascade: &Cascade, cells: &[Rect], layout: Layout) -> Self {
        Self::new(cascade, |feature, test| {
            let set = if let Test::In(set) = test { *set } else { Default::default() };
            LbpQuestion { at: lbp::corners(&cells[feature as usize]).map(|corner| layout.offset(corner)), set }
        })
    }
}

impl HaarQuestion {
    fn new(feature: &HaarFeature, threshold: f32, layout: Layout) -> Self {
        let plane = if feature.tilted { (layout.rows * layout.stride) as u32 } else { 0 };
        let mut question =
            HaarQuestion { at: [[0; 4]; 3], weights: [0.0; 3], threshold, three: feature.parts.len() == 3 };
        for (i, part) in feature.parts.iter().enumerate() {
            question.at[i] = feature.corners(part).map(|corner| layout.offset(corner) + plane);
            question.weights[i] = part.weight;
        }
        question
    }
}

#[inline(always)]
fn part(sums: &[i32], at: &[u32; 4]) -> f32 {
    let [a, b, c, d] = at.map(|at| sums[at as usize]);
    a.wrapping_sub(b).wrapping_sub(c).wrapping_add(d) as f32
}

impl Question for HaarQuestion {
    #[inline(always)]
    fn goes_left(&self, sums: &[i32], factor: f32) -> bool {
        let mut value = self.weights[0] * part(sums, &self.at[0]) + self.weights[1] * part(sums, &self.at[1]);
        if self.three {
            value += self.weights[2] * part(sums, &self.at[2]);
        }
        value * factor < self.threshold
    }

    #[inline(always)]
    fn row(&self, sums: &[i32], factors: &[f32], mut answer: impl FnMut(usize, bool)) {
        let n = factors.len();
        let column = |at: u32| &sums[at as usize..][..n];
        let [[a, b, c, d], [e, f, g, h], [p, q, r, s]] = self.at.map(|at| at.map(column));
        let sum = |a: i32, b: i32, c: i32, d: i32| a.wrapping_sub(b).wrapping_sub(c).wrapping_add(d) as f32;
        let [u, v, w] = self.weights;
        if self.three {
            for i in 0..n {
                let value = u * sum(a[i], b[i], c[i], d[i])
                    + v * sum(e[i], f[i], g[i], h[i])
                    + w * sum(p[i], q[i], r[i], s[i]);
                answer(i, value * factors[i] < self.threshold);
            }
        } else {
            for i in 0..n {
                let value = u * sum(a[i], b[i], c[i], d[i]) + v * sum(e[i], f[i], g[i], h[i]);
                answer(i, value * factors[i] < self.threshold);
            }
        }
    }

    fn reach(&self) -> usize {
        self.at.iter().flatten().copied().max().unwrap_or(0) as usize
    }
}

impl LbpQuestion {
    /// Corners of the block in this column and row of the grid.
    #[inline(always)]
    fn block(&self, (column, row): (usize, usize)) -> [usize; 4] {
        let at = row * 4 + column;
        [at, at + 1, at + 4, at + 5].map(|i| self.at[i] as usize)
    }
}

impl Question for LbpQuestion {
    #[inline(always)]
    fn goes_left(&self, sums: &[i32], _: f32) -> bool {
        let block = |place| {
            let [a, b, c, d] = self.block(place);
            sums[a].wrapping_sub(sums[b]).wrapping_sub(sums[c]).wrapping_add(sums[d])
        };
        let middle = block((1, 1));
        let pattern =
            lbp::NEIGHBOURS.iter().fold(0usize, |bits, &place| bits << 1 | usize::from(block(place) >= middle));
        self.set[pattern >> 5] >> (pattern & 31) & 1 == 1
    }

    #[inline(always)]
    fn row(&self, sums: &[i32], factors: &[f32], mut answer: impl FnMut(usize, bool)) {
        const LANES: usize = 16;
        let n = factors.len();
        let mut start = 0;
        while start < n {
            let count = LANES.min(n - start);
            let block = |place| -> [i32; LANES] {
                let [a, b, c, d] = self.block(place).map(|at| &sums[at + start..][..count]);
                let mut out = [0; LANES];
                for i in 0..count {
                    out[i] = a[i].wrapping_sub(b[i]).wrapping_sub(c[i]).wrapping_add(d[i]);
                }
                out
            };
            let middle = block((1, 1));
            let mut patterns = [0i32; LANES];
            for &place in &lbp::NEIGHBOURS {
                let block = block(place);
                for i in 0..LANES {
                    patterns[i] = patterns[i] << 1 | i32::from(block[i] >= middle[i]);
                }
            }
            for (i, pattern) in patterns[..count].iter().enumerate() {
                answer(start + i, self.set[(*pattern >> 5) as usize] >> (pattern & 31) & 1 == 1);
            }
            start += count;
        }
    }

    fn reach(&self) -> usize {
        self.at.iter().copied().max().unwrap_or(0) as usize
    }
}

/// The rectangle over which the deviation of a window is taken: all but its border.
pub(super) struct Norm {
    at: [usize; 4],
    area: f64,
}

impl Norm {
    pub fn new(window: Size, layout: Layout) -> Self {
        let rect = Rect::new(1, 1, window.width as i32 - 2, window.height as i32 - 2);
        let corners = HaarFeature { parts: Vec::new(), tilted: false }.corners(&Part { rect, weight: 1.0 });
        Norm { at: corners.map(|corner| layout.offset(corner) as usize), area: rect.area() as f64 }
    }

    /// One over the deviation of each window side by side, and zero for windows too even to be judged.
    #[inline(always)]
    pub fn row(&self, sums: &[i32], squares: &[i32], factors: &mut [f32]) {
        let n = factors.len();
        let [a, b, c, d] = self.at.map(|at| &sums[at..][..n]);
        let [e, f, g, h] = self.at.map(|at| &squares[at..][..n]);
        for i in 0..n {
            let sum = f64::from(a[i].wrapping_sub(b[i]).wrapping_sub(c[i]).wrapping_add(d[i]));
            let square = f64::from(e[i].wrapping_sub(f[i]).wrapping_sub(g[i]).wrapping_add(h[i]) as u32);
            let spread = self.area * square - sum * sum;
            let factor = (1.0 / spread.sqrt()) as f32;
            // A deviation of ten grey levels; written so that no spread (not a number) fails too.
            let judged = spread > 0.0 && self.area * f64::from(factor) < 0.1;
            factors[i] = if judged { factor } else { 0.0 };
        }
    }
}
