//! Parity: the class is the exclusive or of some bits; further bits mean nothing.
//!
//! No feature, and no set of fewer than `bits` of them, tells anything of the class: a weak learner of depth `bits` is
//! needed, and the weak learning condition (thesis eq. 4.12) fails for every shallower one.

use super::arguments::{Arguments, DRAW, MISLABELLED, Parameter, ROWS, Range, SEED, check_size};
use super::{Generator, assemble};
use crate::data::Table;
use crate::error::Result;
use rand_chacha::rand_core::Rng;

/// `builtin:parity`.
pub(super) const PARITY: Generator = Generator {
    name: "parity",
    summary: "exclusive or of some bits among meaningless ones: needs trees as deep as there are bits",
    parameters: &[
        ROWS,
        Parameter {
            name: "bits",
            default: "2",
            range: Range::Whole(1, 64),
            summary: "number of bits that make the class (the first columns)",
        },
        Parameter {
            name: "extra",
            default: "3",
            range: Range::Whole(0, 10_000),
            summary: "number of further bits that mean nothing",
        },
        MISLABELLED,
        SEED,
        DRAW,
    ],
    make,
};

fn make(arguments: &Arguments) -> Result<Table> {
    let (rows, bits) = (arguments.count("rows")?, arguments.count("bits")?);
    let features = bits + arguments.count("extra")?;
    check_size(rows, features)?;
    let mut rng = assemble::rows_stream(arguments, PARITY.name)?;
    let mut columns = vec![Vec::with_capacity(rows); features];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut parity = 0;
        for block in columns.chunks_mut(64).enumerate() {
            let mut random = rng.next_u64();
            if block.0 == 0 {
                // `bits` is at most one block.
                parity = (random & (u64::MAX >> (64 - bits))).count_ones() % 2;
            }
            for column in block.1 {
                column.push((random & 1) as u8);
                random >>= 1;
            }
        }
        labels.push(parity);
    }
    assemble::mislabel(&mut labels, 2, arguments, PARITY.name)?;
    assemble::table_of_bits(columns, labels, 2)
}
