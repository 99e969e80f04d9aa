//! A question, and why it is asked.

use serde::{Deserialize, Serialize};

/// A row to be labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Row of the pool.
    pub row: usize,
    /// Why it is asked.
    pub reason: Reason,
}

/// Why a row is asked. Classes are named, so that a state can be read without the model it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A random row to begin with.
    Seed,
    /// A random row: the strategy asks for nothing else, or the error is to be estimated.
    Random,
    /// Far from all rows known so far, while only one class is known.
    Far,
    /// The answer was taken back.
    Again {
        /// Whether the row was drawn at random when it was first asked.
        random: bool,
    },
    /// The two largest scores are close.
    Margin {
        /// The model's answer.
        first: String,
        /// The runner-up.
        second: String,
        /// Difference of their scores.
        gap: f64,
    },
    /// The probabilities are spread out.
    Entropy {
        /// In bits.
        bits: f64,
        /// The model's answer.
        first: String,
        /// The runner-up.
        second: String,
    },
    /// The committee is split.
    Votes(Vec<(String, u32)>),
    /// Being wrong here is dear.
    Cost {
        /// The answer of least expected cost.
        answer: String,
        /// That cost.
        cost: f64,
    },
}

impl Reason {
    /// Whether the row was drawn from the pool at random, so that it says something of the pool as a whole.
    pub fn is_random(&self) -> bool {
        matches!(self, Reason::Seed | Reason::Random | Reason::Again { random: true })
    }

    /// In plain words, after "asked because ...".
    pub fn words(&self) -> String {
        match self {
            Reason::Seed => "the first rows are drawn at random".into(),
            Reason::Random => "it was drawn at random, to see how good the model is".into(),
            Reason::Far => "only one class is known, and this row is unlike all labelled ones".into(),
            Reason::Again { .. } => "its last answer was taken back".into(),
            Reason::Margin { first, second, gap } => {
                format!("here the model is least sure: '{first}' or '{second}' (scores {} apart)", short(*gap))
            }
            Reason::Entropy { bits, first, second } => {
                format!("here the model is least sure ({bits:.2} bits): '{first}', '{second}' or another")
            }
            Reason::Votes(votes) if votes.len() == 1 => {
                format!("all {} models say '{}', but only just", votes[0].1, votes[0].0)
            }
            Reason::Votes(votes) => {
                let counts: Vec<String> = votes.iter().map(|(_, count)| count.to_string()).collect();
                let names: Vec<String> = votes.iter().map(|(name, _)| format!("'{name}'")).collect();
                format!("the committee is split {} between {}", counts.join(":"), names.join(", "))
            }
            Reason::Cost { answer, cost } => {
                format!("the best answer, '{answer}', is still expected to cost {}", short(*cost))
            }
        }
    }
}

fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.005 { format!("{value:.1e}") } else { format!("{value:.2}") }
}
