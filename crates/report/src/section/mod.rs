//! The sections of the page, one a file, in the order in which they stand.

pub(crate) mod confusion;
pub(crate) mod curves;
pub(crate) mod data;
pub(crate) mod importance;
pub(crate) mod members;
pub(crate) mod overview;
pub(crate) mod regions;
pub(crate) mod reliability;
pub(crate) mod repeat;
pub(crate) mod rows;
