# The commands of the README. CI calls `make test`.

.PHONY: test lint bench

test: lint
	cargo test --workspace --features rebelboost-io/parquet

lint:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets -- -D warnings

bench:
	bench/run
