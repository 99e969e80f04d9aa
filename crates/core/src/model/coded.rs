//! Trees over the codes of values ([`Codes`]), all questions asked at once.
//!
//! Every question is put to a group of rows side by side, and answers are chosen from the bottom up: no jump and no address
//! depends on a row, so all of it runs in vector registers, a byte a row. Up to some 250 questions that is less work than
//! walking down. Answers are those of [`Tree::respond`], to the bit.

use super::codes::{Coder, Codes, GROUP, Lanes};
use super::tree::Answer;
use super::{Node, Test, Tree};

/// Nodes at most, so that a byte numbers the leaves.
const MOST_NODES: usize = 511;

/// A tree from the bottom up.
pub(super) struct Coded {
    /// What leaves say, each once.
    answers: Vec<u8>,
    /// Whether these are signed.
    signed: bool,
    /// A question comes after those below it.
    questions: Vec<Question>,
    /// What the tree says, by the numbers of [`Question`].
    root: u16,
}

/// Chooses between two answers or earlier questions: first the answers are numbered, then the questions.
struct Question {
    place: u32,
    /// Added to the code: one brings missing values, the largest, below all others.
    shift: u8,
    /// A shifted code up to this goes left.
    bound: u8,
    left: u16,
    right: u16,
}

impl Coded {
    /// Whether a tree of these nodes is worth coding values for.
    pub fn may<L>(nodes: &[Node<L>]) -> bool {
        nodes.len() <= MOST_NODES
    }

    /// The tree, unless it asks about levels or has so many leaves that walking down is less work.
    pub fn new<L: Answer>(tree: &Tree<L>, coder: &Coder) -> Option<Self> {
        if !Self::may(&tree.nodes) {
            return None;
        }
        let leaves = || {
            tree.nodes.iter().filter_map(|node| match node {
                Node::Leaf(leaf) => Some(leaf.value()),
                Node::Split { .. } => None,
            })
        };
        let signed = leaves().any(|value| value < 0.0);
        let byte = |value: f64| match signed {
            true => Some(value as i8).filter(|byte| f64::from(*byte) == value).map(|byte| byte as u8),
            false => Some(value as u8).filter(|byte| f64::from(*byte) == value),
        };
        let mut answers = leaves().map(byte).collect::<Option<Vec<u8>>>()?;
        answers.sort_unstable();
        answers.dedup();
        let mut questions = Vec::new();
        // Children are stored after their parent.
        let mut numbers = vec![0u16; tree.nodes.len()];
        for (at, node) in tree.nodes.iter().enumerate().rev() {
            numbers[at] = match node {
                Node::Leaf(leaf) => answers.binary_search(&byte(leaf.value())?).ok()? as u16,
                Node::Split { feature, test: Test::AtMost(threshold), missing_left, left, right } => {
                    let (place, bound) = coder.question(*feature, *threshold)?;
                    let shift = u8::from(*missing_left);
                    let [left, right] = [left, right].map(|child| numbers[*child as usize]);
                    questions.push(Question { place, shift, bound: bound + shift, left, right });
                    (answers.len() + questions.len() - 1) as u16
                }
                Node::Split { test: Test::OneOf(_), .. } => return None,
            };
        }
        Some(Coded { answers, signed, questions, root: numbers[0] })
    }

    /// Answers to the rows of a block; `said` is memory.
    pub fn respond(&self, codes: &Codes, said: &mut Vec<Lanes>, out: &mut [f64]) {
        said.resize(said.len().max(self.answers.len() + self.questions.len()), Lanes([0; GROUP]));
        pulp::Arch::new().dispatch(Ask { tree: self, codes, said, out });
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Ask<'a> {
    tree: &'a Coded,
    codes: &'a Codes,
    /// By the numbers of [`Question`].
    said: &'a mut [Lanes],
    out: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Ask<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Ask { tree, codes, said, out } = self;
        let answers = tree.answers.len();
        said.iter_mut().zip(&tree.answers).for_each(|(said, answer)| said.0.fill(*answer));
        for (group, out) in out.chunks_mut(GROUP).enumerate() {
            for (i, question) in tree.questions.iter().enumerate() {
                let [left, right] = [question.left, question.right].map(|number| &said[usize::from(number)]);
                said[answers + i] = choose(question, codes.of(question.place, group), left, right);
            }
            let said = &said[usize::from(tree.root)].0;
            match tree.signed {
                true => out.iter_mut().zip(said).for_each(|(out, said)| *out = f64::from(*said as i8)),
                false => out.iter_mut().zip(said).for_each(|(out, said)| *out = f64::from(*said)),
            }
        }
    }
}

/// What rows of these codes answer. Reads everything before it writes: only then does the compiler know that nothing overlaps.
#[inline(always)]
fn choose(question: &Question, codes: &Lanes, left: &Lanes, right: &Lanes) -> Lanes {
    let (Lanes(codes), Lanes(left), Lanes(right)) = (*codes, *left, *right);
    let mut chosen = [0; GROUP];
    for lane in 0..GROUP {
        let goes_left = codes[lane].wrapping_add(question.shift) <= question.bound;
        // All bits or none: of an `if` compilers make a choice between addresses, which fills no registers.
        let all = u8::from(goes_left).wrapping_neg();
        chosen[lane] = left[lane] & all | right[lane] & !all;
    }
    Lanes(chosen)
}
