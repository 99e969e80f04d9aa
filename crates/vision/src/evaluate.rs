//! How good is a detector? Boxes against the truth, at every score: the ROC of detection.

use crate::detect::Detection;
use crate::geometry::Rect;
use rebelboost::error::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where an object really is.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// A box; it is found by a box that overlaps it enough (intersection over union).
    Box(Rect),
    /// Points of a face: eyes, nose, corners and middle of the mouth. It is found by a box that holds them all and is 1 to
    /// 4.5 times as wide as it is from the eyes to the mouth.
    Face([(f64, f64); 6]),
}

impl Truth {
    fn is_found_by(&self, found: &Rect, overlap: f64) -> bool {
        match self {
            Truth::Box(rect) => rect.overlap(found) >= overlap,
            Truth::Face(points) => {
                let (left, top) = (f64::from(found.x), f64::from(found.y));
                let (right, bottom) = (left + f64::from(found.width), top + f64::from(found.height));
                let inside = |(x, y): &(f64, f64)| (left..=right).contains(x) && (top..=bottom).contains(y);
                let [a, b, _, _, mouth, _] = points;
                let eyes = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
                let span = (eyes.0 - mouth.0).hypot(eyes.1 - mouth.1);
                let width = f64::from(found.width);
                points.iter().all(inside) && (span..=4.5 * span).contains(&width)
            }
        }
    }
}

/// The truth about images, by file name. A line a object: the name, then `x,y,width,height` (with commas, and perhaps a
/// header), or, divided by spaces, `left top right bottom` or the six points of a face.
pub fn read_truth(text: &str) -> Result<BTreeMap<String, Vec<Truth>>> {
    let mut out: BTreeMap<String, Vec<Truth>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let commas = line.contains(',');
        let cells: Vec<&str> =
            if commas { line.split(',').map(str::trim).collect() } else { line.split_whitespace().collect() };
        let Some((name, cells)) = cells.split_first() else { continue };
        let numbers: Option<Vec<f64>> =
            cells.iter().map(|cell| cell.parse().ok().filter(|v: &f64| v.abs() < 1e6)).collect();
        let truth = match numbers.as_deref() {
            None if number == 0 => continue,
            Some([x, y, width, height]) if commas => Truth::Box(rect(*x, *y, *width, *height)),
            Some([x, y, right, bottom]) => Truth::Box(rect(*x, *y, right - x, bottom - y)),
            Some([a, b, c, d, e, f, g, h, i, j, k, l]) => {
                Truth::Face([(*a, *b), (*c, *d), (*e, *f), (*g, *h), (*i, *j), (*k, *l)])
            }
            // A name alone: an image without objects.
            Some([]) => {
                out.entry(name.to_string()).or_default();
                continue;
            }
            _ => {
                return Err(Error::parse("a line needs a file name and 4 numbers, or 12 for the points of a face")
                    .at_line(number as u64 + 1));
            }
        };
        out.entry(name.to_string()).or_default().push(truth);
    }
    if out.is_empty() {
        return Err(Error::data("there is no object in it"));
    }
    Ok(out)
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
    Rect::new(x.round() as i32, y.round() as i32, width.round().max(1.0) as i32, height.round().max(1.0) as i32)
}

/// What comes of keeping only boxes of at least some score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The score.
    pub score: f64,
    /// Objects found.
    pub hits: usize,
    /// Boxes that are no object, or one that a better box has found.
    pub false_positives: usize,
}

/// Boxes of about the same score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// The lowest score.
    pub from: f64,
    /// The highest score, not included unless it is 1.
    pub to: f64,
    /// Boxes of such scores.
    pub boxes: usize,
    /// Their mean score.
    pub mean_score: f64,
    /// The share of them that are objects: if scores are probabilities, about their mean.
    pub right: f64,
}

/// Where bins of scores begin. Most boxes are nearly certain.
const BINS: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99];

/// A detector against the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Images looked at.
    pub images: usize,
    /// Objects in them.
    pub objects: usize,
    /// From the highest score to the lowest; the last keeps all boxes.
    pub points: Vec<Point>,
}

impl Evaluation {
    /// Compares the boxes of each image with its truth. Each object is found once, by the box of the highest score.
    pub fn new(images: &[(Vec<Detection>, Vec<Truth>)], overlap: f64) -> Self {
        let mut all: Vec<(f64, bool)> = Vec::new();
        for (found, truths) in images {
            let mut order: Vec<&Detection> = found.iter().collect();
            order.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.neighbors.cmp(&a.neighbors)));
            let mut open = vec![true; truths.len()];
            for detection in order {
                let hit = (0..truths.len()).find(|&t| open[t] && truths[t].is_found_by(&detection.rect, overlap));
                if let Some(hit) = hit {
                    open[hit] = false;
                }
                all.push((detection.score, hit.is_some()));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut points, mut hits, mut false_positives) = (Vec::new(), 0, 0);
        for tied in all.chunk_by(|a, b| a.0 == b.0) {
            let right = tied.iter().filter(|(_, hit)| *hit).count();
            hits += right;
            false_positives += tied.len() - right;
            points.push(Point { score: tied[0].0, hits, false_positives });
        }
        Evaluation { images: images.len(), objects: images.iter().map(|(_, truths)| truths.len()).sum(), points }
    }

    /// The share of objects found with all boxes.
    pub fn detection(&self) -> f64 {
        self.points.last().map_or(0.0, |point| self.rate(point))
    }

    /// Boxes that are no object, of all.
    pub fn false_positives(&self) -> usize {
        self.points.last().map_or(0, |point| point.false_positives)
    }

    /// Boxes, of all scores.
    pub fn boxes(&self) -> usize {
        self.points.last().map_or(0, |point| point.hits + point.false_positives)
    }

    /// Mean score of all boxes. If scores are calibrated and images are like those of the calibration, it is the share of the
    /// boxes that are objects.
    pub fn mean_score(&self) -> f64 {
        let sum: f64 = self.of_a_score().map(|(score, right, wrong)| score * (right + wrong) as f64).sum();
        sum / self.boxes().max(1) as f64
    }

    /// The share of objects among boxes of about the same score, for all such scores that there are.
    pub fn reliability(&self) -> Vec<Bin> {
        let bin = |(i, &from): (usize, &f64)| {
            let to = BINS.get(i + 1).copied().unwrap_or(1.0);
            let inside = |score: f64| score >= from && (score < to || i + 1 == BINS.len());
            let (mut sum, mut right, mut boxes) = (0.0, 0, 0);
            for (score, hits, others) in self.of_a_score().filter(|(score, ..)| inside(*score)) {
                sum += score * (hits + others) as f64;
                right += hits;
                boxes += hits + others;
            }
            let mean = |sum: f64| sum / boxes as f64;
            (boxes > 0).then(|| Bin { from, to, boxes, mean_score: mean(sum), right: mean(right as f64) })
        };
        BINS.iter().enumerate().filter_map(bin).collect()
    }

    /// For each score, the boxes that are objects and those that are not.
    fn of_a_score(&self) -> impl Iterator<Item = (f64, usize, usize)> {
        let before =
            |i: usize| i.checked_sub(1).map_or((0, 0), |i| (self.points[i].hits, self.points[i].false_positives));
        self.points.iter().enumerate().map(move |(i, point)| {
            let (hits, others) = before(i);
            (point.score, point.hits - hits, point.false_positives - others)
        })
    }

    /// The share of objects found at a point.
    pub fn rate(&self, point: &Point) -> f64 {
        point.hits as f64 / self.objects.max(1) as f64
    }

    /// The best share of objects found with at most so many false boxes, and the score that does it.
    pub fn at_most(&self, false_positives: usize) -> Option<Point> {
        self.points.iter().rev().find(|point| point.false_positives <= false_positives).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(x: i32, score: f64) -> Detection {
        Detection { rect: Rect::new(x, 0, 10, 10), neighbors: 4, score }
    }

    #[test]
    fn an_object_is_found_once_and_scores_are_swept() {
        let truth = vec![Truth::Box(Rect::new(0, 0, 10, 10)), Truth::Box(Rect::new(100, 0, 10, 10))];
        let boxes = vec![found(0, 0.9), found(1, 0.8), found(50, 0.7), found(101, 0.6)];
        let evaluation = Evaluation::new(&[(boxes, truth)], 0.5);
        let counts: Vec<_> = evaluation.points.iter().map(|p| (p.hits, p.false_positives)).collect();
        assert_eq!(counts, [(1, 0), (1, 1), (1, 2), (2, 2)]);
        assert_eq!(evaluation.at_most(0).unwrap().score, 0.9);
        assert_eq!((evaluation.detection(), evaluation.false_positives()), (1.0, 2));
        assert_eq!((evaluation.boxes(), (evaluation.mean_score() - 0.75).abs() < 1e-12), (4, true));
        // 0.9 is an object, 0.7 and 0.8 are none, 0.6 is one.
        let bins: Vec<_> = evaluation.reliability().iter().map(|bin| (bin.from, bin.boxes, bin.right)).collect();
        assert_eq!(bins, [(0.5, 1, 1.0), (0.7, 2, 0.0), (0.9, 1, 1.0)]);
        assert!((evaluation.reliability()[1].mean_score - 0.75).abs() < 1e-12);
    }

    #[test]
    fn truth_is_read_in_three_forms_and_complains_with_its_line() {
        let truth = read_truth("file,x,y,width,height\na.png,1,2,3,4\nb.png\n").unwrap();
        assert_eq!(truth["a.png"], [Truth::Box(Rect::new(1, 2, 3, 4))]);
        assert!(truth["b.png"].is_empty());
        let truth = read_truth("a.png 1 2 4 6\nb.png 1 1 5 1 3 3 1 5 3 5 5 5").unwrap();
        assert_eq!(truth["a.png"], [Truth::Box(Rect::new(1, 2, 3, 4))]);
        assert!(truth["b.png"][0].is_found_by(&Rect::new(0, 0, 8, 8), 0.5));
        assert!(!truth["b.png"][0].is_found_by(&Rect::new(2, 0, 8, 8), 0.5));
        assert!(read_truth("a.png 1 2 3 4\nb.png 1 2 x 4").unwrap_err().to_string().contains("line 2"));
    }
}
