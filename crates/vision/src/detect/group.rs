//! Boxes that mean the same object become one (OpenCV's `groupRectangles`, eps 0.2).

use super::{Candidate, DetectOptions, Detection};
use crate::calibration::{Calibration, Evidence};
use crate::geometry::{Rect, Size};

/// How far the sides of two boxes may be apart, as a share of the smaller one.
const EPS: f64 = 0.2;

/// Groups windows, keeps groups of more than `min_neighbors`, drops small boxes inside better ones, cuts boxes at the
/// border and sorts them. With `min_neighbors` 0 every window stays a box of its own.
pub fn group(
    candidates: &[Candidate],
    image: Size,
    options: &DetectOptions,
    calibration: &Calibration,
) -> Vec<Detection> {
    // The link of a foreign cascade is what it always was.
    let density = if calibration.is_fitted() { options.density() } else { 1.0 };
    let mut found: Vec<Detection> = boxes(candidates, image, options.min_neighbors)
        .iter()
        .map(|group| Detection {
            rect: group.rect,
            neighbors: group.count,
            score: calibration.probability(&group.evidence(density)),
        })
        .collect();
    found.sort_by(|a, b| a.rect.cmp(&b.rect).then(b.neighbors.cmp(&a.neighbors)).then(b.score.total_cmp(&a.score)));
    found
}

/// The groups that are boxes, inside the image.
pub(crate) fn boxes(candidates: &[Candidate], image: Size, least: u32) -> Vec<Group> {
    let mut found: Vec<Group> = if least == 0 {
        candidates.iter().map(|c| Group { rect: c.rect, count: 1, margin: c.margin }).collect()
    } else {
        let groups: Vec<Group> = groups(candidates).into_iter().filter(|group| group.count > least).collect();
        let better = |group: &Group, (i, other): (usize, &Group), own: usize| {
            i != own && group.inside(other) && (other.count > group.count.max(3) || group.count < 3)
        };
        let beaten: Vec<bool> = (groups.iter().enumerate())
            .map(|(own, group)| groups.iter().enumerate().any(|other| better(group, other, own)))
            .collect();
        groups.into_iter().zip(beaten).filter(|(_, beaten)| !beaten).map(|(group, _)| group).collect()
    };
    let border = Rect::new(0, 0, image.width as i32, image.height as i32);
    found.iter_mut().for_each(|group| group.rect = group.rect.intersection(&border));
    found.retain(|group| group.rect.area() > 0);
    found
}

/// Windows that mean the same.
pub(crate) struct Group {
    /// Their mean.
    pub rect: Rect,
    count: u32,
    margin: f64,
}

impl Group {
    /// As it would be if windows were as dense as usual.
    pub fn evidence(&self, density: f64) -> Evidence {
        Evidence { windows: f64::from(self.count) / density, margin: self.margin / density }
    }

    /// Whether it lies in the other one, give or take.
    fn inside(&self, other: &Group) -> bool {
        let (a, b) = (&self.rect, &other.rect);
        let slack = |length: i32| (f64::from(length) * EPS).round_ties_even() as i32;
        let (dx, dy) = (slack(b.width), slack(b.height));
        a.x >= b.x - dx
            && a.y >= b.y - dy
            && a.x + a.width <= b.x + b.width + dx
            && a.y + a.height <= b.y + b.height + dy
    }
}

/// Mean boxes of the transitive closure of [`similar`].
fn groups(candidates: &[Candidate]) -> Vec<Group> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&i| (candidates[i].rect, i));
    let mut parent: Vec<usize> = (0..candidates.len()).collect();
    for (at, &i) in order.iter().enumerate() {
        let a = &candidates[i].rect;
        let reach = EPS * f64::from(a.width + a.height) * 0.5;
        for &j in &order[at + 1..] {
            let b = &candidates[j].rect;
            if f64::from(b.x - a.x) > reach {
                break;
            }
            if similar(a, b) {
                let (i, j) = (find(&mut parent, i), find(&mut parent, j));
                parent[i.max(j)] = i.min(j);
            }
        }
    }
    let mut sums: Vec<([i64; 4], Group)> = Vec::new();
    let mut place = vec![usize::MAX; candidates.len()];
    for (i, candidate) in candidates.iter().enumerate() {
        let root = find(&mut parent, i);
        if place[root] == usize::MAX {
            place[root] = sums.len();
            sums.push(([0; 4], Group { rect: candidate.rect, count: 0, margin: 0.0 }));
        }
        let (sum, group) = &mut sums[place[root]];
        let Rect { x, y, width, height } = candidate.rect;
        sum.iter_mut().zip([x, y, width, height]).for_each(|(sum, v)| *sum += i64::from(v));
        group.count += 1;
        group.margin += candidate.margin;
    }
    sums.into_iter()
        .map(|(sum, group)| {
            let share = 1.0 / group.count as f32;
            let [x, y, width, height] = sum.map(|v| (v as f32 * share).round_ties_even() as i32);
            Group { rect: Rect { x, y, width, height }, ..group }
        })
        .collect()
}

/// Whether all four sides are near each other.
fn similar(a: &Rect, b: &Rect) -> bool {
    let most = EPS * f64::from(a.width.min(b.width) + a.height.min(b.height)) * 0.5;
    let near = |a: i32, b: i32| f64::from((a - b).abs()) <= most;
    near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.width, b.x + b.width) && near(a.y + a.height, b.y + b.height)
}

fn find(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
