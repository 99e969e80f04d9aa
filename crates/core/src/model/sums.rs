//! Scores of a block of rows while terms are added, laid out as the terms like it.
//!
//! A response times a vector is added class by class, so that the loop runs over rows and fills vector registers whatever the
//! number of classes; the vector of a region is added row by row. Terms wait for a few others of their kind, so that scores
//! stay in registers while all of these are added. Every score gets the same products in the same order in both layouts, so
//! the sums are the same to the bit.

use super::{Term, WeakModel};

/// Terms that are added together: each score is read and written once for so many.
const TOGETHER: usize = 8;
/// Fewer of regions, since the vectors of all should be near: two take 6 % longer on letter, one a quarter.
const REGIONS: usize = 4;
/// Classes that are added to together: each response is read once for so many.
const CLASSES: usize = 2;

/// Sums under way; [`finish`](Self::finish) brings them home.
pub(super) struct Sums<'a> {
    /// `[row][class]`.
    scores: &'a mut [f64],
    /// `[class][row]`, while they stand that way.
    by_class: Lines,
    turned: bool,
    classes: usize,
    /// Terms that wait, all of regions or none, and their responses one behind the other.
    waiting: Vec<&'a Term>,
    responses: Lines,
    /// For regions, in the place of responses: where their vectors begin.
    places: Vec<u32>,
}

/// Numbers that begin with a line of the cache: registers as wide as a line are read in one go.
#[derive(Default)]
struct Lines {
    values: Vec<f64>,
    start: usize,
}

impl Lines {
    const BYTES: usize = 64;

    fn new(count: usize) -> Self {
        let values = vec![0.0; count + Self::BYTES / size_of::<f64>()];
        // Where it cannot be known, anything will do.
        let start = values.as_ptr().align_offset(Self::BYTES).min(Self::BYTES / size_of::<f64>());
        Lines { values, start }
    }

    fn get(&mut self, count: usize) -> &mut [f64] {
        &mut self.values[self.start..][..count]
    }
}

impl<'a> Sums<'a> {
    /// Of these scores.
    pub fn new(scores: &'a mut [f64], classes: usize) -> Self {
        let (by_class, responses) = (Lines::default(), Lines::default());
        let waiting = Vec::with_capacity(TOGETHER);
        Sums { scores, by_class, turned: false, classes, waiting, responses, places: Vec::new() }
    }

    /// Adds a term.
    pub fn add(&mut self, term: &'a Term, responses: &[f64]) {
        // A block of few rows is not worth turning.
        if responses.len() < 8 {
            self.turn(false);
            return term.add(responses, self.scores, self.classes);
        }
        let regions = term.learner.tells_regions();
        self.turn(!regions);
        if regions {
            self.places.extend(responses.iter().map(|leaf| *leaf as u32 * self.classes as u32));
        } else {
            let (before, rows) = (self.waiting.len(), responses.len());
            self.responses.get(TOGETHER * rows)[before * rows..][..rows].copy_from_slice(responses);
        }
        self.waiting.push(term);
        if self.waiting.len() == if regions { REGIONS } else { TOGETHER } {
            self.add_waiting();
        }
    }

    /// Brings the scores up to date.
    pub fn finish(mut self) {
        self.turn(false);
        self.add_waiting();
    }

    fn add_waiting(&mut self) {
        let Sums { scores, by_class, turned, classes, waiting, responses, places } = self;
        if *turned {
            let rows = scores.len() / *classes;
            let (by_class, responses) = (by_class.get(scores.len()), responses.get(waiting.len() * rows));
            pulp::Arch::new().dispatch(AddByClass { by_class, rows, terms: waiting, responses });
        } else {
            pulp::Arch::new().dispatch(AddByRow { scores, classes: *classes, terms: waiting, places });
        }
        waiting.clear();
        places.clear();
    }

    fn turn(&mut self, turned: bool) {
        if self.turned == turned {
            return;
        }
        self.add_waiting();
        let rows = self.scores.len() / self.classes;
        if self.by_class.values.is_empty() {
            self.by_class = Lines::new(self.scores.len());
            self.responses = Lines::new(TOGETHER * rows);
        }
        let by_class = self.by_class.get(self.scores.len());
        for (row, scores) in self.scores.chunks_exact_mut(self.classes).enumerate() {
            for (class, score) in scores.iter_mut().enumerate() {
                let other = &mut by_class[class * rows + row];
                if turned { *other = *score } else { *score = *other }
            }
        }
        self.turned = turned;
    }
}

/// A struct and not a closure, and loops and not closures within: these are not compiled for the instruction set they are
/// dispatched to.
struct AddByRow<'a> {
    /// `[row][class]`.
    scores: &'a mut [f64],
    classes: usize,
    terms: &'a [&'a Term],
    /// `[term][row]`.
    places: &'a [u32],
}

impl pulp::NullaryFnOnce for AddByRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        if self.terms.is_empty() {
            return;
        }
        let mut class = 0;
        while class < self.classes {
            class += match self.classes - class {
                24.. => self.run::<24>(class),
                16.. => self.run::<16>(class),
                8.. => self.run::<8>(class),
                4.. => self.run::<4>(class),
                2.. => self.run::<2>(class),
                _ => self.run::<1>(class),
            };
        }
    }
}

impl AddByRow<'_> {
    /// Scores of so many classes from this one on, which stay in registers while all terms are added.
    #[inline(always)]
    fn run<const WIDTH: usize>(&mut self, class: usize) -> usize {
        let AddByRow { scores, classes, terms, places } = self;
        let rows = scores.len() / *classes;
        for row in 0..rows {
            let scores = &mut scores[row * *classes + class..][..WIDTH];
            let mut sums = [0.0; WIDTH];
            sums.copy_from_slice(scores);
            for (at, term) in terms.iter().enumerate() {
                let vector = &term.output[places[at * rows + row] as usize + class..][..WIDTH];
                for (sum, a) in sums.iter_mut().zip(vector) {
                    *sum += a;
                }
            }
            scores.copy_from_slice(&sums);
        }
        WIDTH
    }
}

/// As above.
struct AddByClass<'a> {
    /// `[class][row]`.
    by_class: &'a mut [f64],
    rows: usize,
    terms: &'a [&'a Term],
    /// `[term][row]`.
    responses: &'a [f64],
}

impl pulp::WithSimd for AddByClass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        let AddByClass { by_class, rows, terms, responses } = self;
        // A product with +1 or -1 is exact, so that fusing it with the sum changes nothing.
        let exact = |term: &&Term| matches!(term.learner, WeakModel::Tree(_) | WeakModel::Direction(_));
        let fuses = !S::IS_SCALAR && terms.iter().all(exact);
        let Some(eight) = <&[&Term; TOGETHER]>::try_from(terms).ok().filter(|_| fuses) else {
            for (class, scores) in by_class.chunks_exact_mut(rows).enumerate() {
                for (term, responses) in terms.iter().zip(responses.chunks_exact(rows)) {
                    scores.iter_mut().zip(responses).for_each(|(h, f)| *h += *f * term.output[class]);
                }
            }
            return;
        };
        for (i, scores) in by_class.chunks_mut(CLASSES * rows).enumerate() {
            match scores.len() == CLASSES * rows {
                true => fused::<S, CLASSES>(simd, eight, i * CLASSES, scores, responses),
                false => fused::<S, 1>(simd, eight, i * CLASSES, scores, responses),
            }
        }
    }
}

/// Adds terms that answer +1 or -1 to the scores of some classes from this one on.
#[inline(always)]
fn fused<S: pulp::Simd, const C: usize>(
    simd: S,
    terms: &[&Term; TOGETHER],
    class: usize,
    scores: &mut [f64],
    responses: &[f64],
) {
    let rows = scores.len() / C;
    let mut scores = scores.chunks_exact_mut(rows);
    let scores: [&mut [f64]; C] = std::array::from_fn(|_| scores.next().unwrap_or_default());
    let mut outputs = [[0.0; C]; TOGETHER];
    let mut splat = [[simd.splat_f64s(0.0); C]; TOGETHER];
    let mut each: [&[S::f64s]; TOGETHER] = [&[]; TOGETHER];
    let lanes = rows / S::F64_LANES;
    for t in 0..TOGETHER {
        for c in 0..C {
            outputs[t][c] = terms[t].output[class + c];
            splat[t][c] = simd.splat_f64s(outputs[t][c]);
        }
        each[t] = &S::as_simd_f64s(&responses[t * rows..][..rows]).0[..lanes];
    }
    for at in 0..lanes {
        let mut sums = [simd.splat_f64s(0.0); C];
        for c in 0..C {
            sums[c] = S::as_simd_f64s(scores[c]).0[at];
        }
        for t in 0..TOGETHER {
            let response = each[t][at];
            for c in 0..C {
                sums[c] = simd.mul_add_f64s(response, splat[t][c], sums[c]);
            }
        }
        for c in 0..C {
            S::as_mut_simd_f64s(scores[c]).0[at] = sums[c];
        }
    }
    for row in lanes * S::F64_LANES..rows {
        for c in 0..C {
            for t in 0..TOGETHER {
                scores[c][row] += responses[t * rows + row] * outputs[t][c];
            }
        }
    }
}
