# The commands of the README. CI calls `make test`.

.PHONY: test lint tools bench

# A fixed seed, so that a change is judged by what it changes; leave it out to search for new counterexamples.
test: lint tools
	PROPTEST_RNG_SEED=2017 cargo test --workspace

lint:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets -- -D warnings

# A browser, in which a test opens the report. Where none can be installed the test says so and checks nothing.
tools:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1 \
		|| echo "No browser (chromium): the report will not be opened in one."

bench:
	bench/run
