//! Tests of the portfolio.
