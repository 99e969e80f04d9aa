//! Patches ready for features: integral images turned over, so that the value of one feature for all patches is a few
//! sums of consecutive numbers.

use crate::cascade::{Cascade, Features, Node, Test, Tree};
use crate::geometry::Size;
use crate::haar::HaarFeature;
use crate::image::Gray;
use crate::integral::Integral;
use rebelboost::context::Context;

/// Patches of the size of a window.
pub struct Patches {
    window: Size,
    count: usize,
    /// `[place in the integral image][patch]`, and the tilted sums after the others.
    sums: Vec<i32>,
    /// One over the deviation of each patch.
    factors: Vec<f32>,
}

/// One over the deviation of a patch as detection takes it, or `None` for one that is too even to be judged.
pub fn factor(patch: &Gray) -> Option<f32> {
    let (width, height) = (patch.width(), patch.height());
    if width < 3 || height < 3 {
        return None;
    }
    let (mut sum, mut square) = (0.0, 0.0);
    for y in 1..height - 1 {
        for pixel in &patch.row(y)[1..width - 1] {
            let pixel = f64::from(*pixel);
            sum += pixel;
            square += pixel * pixel;
        }
    }
    let area = ((width - 2) * (height - 2)) as f64;
    let spread = area * square - sum * sum;
    let factor = (1.0 / spread.sqrt()) as f32;
    (spread > 0.0 && area * f64::from(factor) < 0.1).then_some(factor)
}

impl Patches {
    /// From patches of the window's size; those too even to be judged are left out.
    pub fn new(window: Size, patches: &[Gray], tilted: bool) -> Self {
        let judged: Vec<(&Gray, f32)> = patches.iter().filter_map(|p| Some((p, factor(p)?))).collect();
        let count = judged.len();
        let places = (window.width as usize + 1) * (window.height as usize + 1);
        let mut sums = vec![0; places * count * (1 + usize::from(tilted))];
        for (number, (patch, _)) in judged.iter().enumerate() {
            let integral = Integral::new(patch, tilted);
            let all = integral.sum.iter().chain(integral.tilted.iter().flatten());
            all.enumerate().for_each(|(place, sum)| sums[place * count + number] = *sum);
        }
        Patches { window, count, sums, factors: judged.iter().map(|(_, factor)| *factor).collect() }
    }

    /// Number of patches.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of a feature for every patch: the same operations as in detection, so the same numbers.
    pub fn values(&self, feature: &HaarFeature, out: &mut Vec<f32>) {
        let stride = self.window.width as usize + 1;
        let plane = if feature.tilted { stride * (self.window.height as usize + 1) } else { 0 };
        out.clear();
        out.resize(self.count, 0.0);
        for (i, part) in feature.parts.iter().enumerate() {
            let [a, b, c, d] = feature.corners(part).map(|(x, y)| {
                let place = plane + y as usize * stride + x as usize;
                &self.sums[place * self.count..][..self.count]
            });
            let out = &mut out[..self.count];
            for n in 0..self.count {
                let sum = part.weight * (a[n] - b[n] - c[n] + d[n]) as f32;
                out[n] = if i == 0 { sum } else { out[n] + sum };
            }
        }
        out.iter_mut().zip(&self.factors).for_each(|(value, factor)| *value *= factor);
    }

    /// Adds what a tree says of each patch to its sum.
    pub fn add(&self, tree: &Tree, features: &[HaarFeature], sums: &mut [f64], context: &Context) {
        let columns = context.map(tree.nodes.len(), tree.nodes.len() * self.count * 10, |node| {
            let mut values = Vec::new();
            self.values(&features[tree.nodes[node].feature as usize], &mut values);
            values
        });
        for (patch, sum) in sums.iter_mut().enumerate() {
            let mut at = 0usize;
            while let Node { test: Test::Below(threshold), left, right, .. } = &tree.nodes[at] {
                let child = if columns[at][patch] < *threshold { *left } else { *right };
                if child <= 0 {
                    *sum += f64::from(tree.leaves[child.unsigned_abs() as usize]);
                    break;
                }
                at = child as usize;
            }
        }
    }

    /// How many trees of a cascade are asked about each patch before it is turned down, and whether it passes.
    pub fn asked(&self, cascade: &Cascade, context: &Context) -> Vec<(usize, bool)> {
        let Features::Haar(features) = &cascade.features else { return Vec::new() };
        let mut sums = vec![0.0; self.count];
        let mut out = vec![(0, true); self.count];
        for stage in &cascade.stages {
            if !cascade.carries {
                sums.fill(0.0);
            }
            stage.trees.iter().for_each(|tree| self.add(tree, features, &mut sums, context));
            for ((asked, passes), sum) in out.iter_mut().zip(&sums).filter(|((_, passes), _)| *passes) {
                *asked += stage.trees.len();
                *passes = *sum >= f64::from(stage.threshold);
            }
        }
        out
    }
}
