# The commands of the README. CI calls `make test`.

.PHONY: test lint tools bench python-test python-build python-parameters

# A fixed seed, so that a change is judged by what it changes; leave it out to search for new counterexamples.
test: lint tools
	PROPTEST_RNG_SEED=2017 cargo test --workspace
	$(MAKE) python-test

lint:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets -- -D warnings

# A browser, in which a test opens the report. Where none can be installed the test says so and checks nothing.
tools:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1 \
		|| echo "No browser (chromium): the report will not be opened in one."

# The Python package beside an environment of its own; scikit-learn's checks also under an older scikit-learn.
python-test: python-build
	cd python && .venv/bin/python -m pytest tests rebelboost ../docs/python.md --doctest-modules --doctest-glob='*.md'
	cd python && PYTHONPATH=.venv/older .venv/bin/python -m pytest tests/test_estimator_checks.py tests/test_inputs.py

# With the features of the Rust tests, so that nothing is compiled twice; maturin is for wheels.
python-build: python/.venv/ready
	cargo build --workspace --lib --tests
	install $${CARGO_TARGET_DIR:-target}/debug/lib_core.so python/rebelboost/_core.abi3.so

python/.venv/ready: python/tests/requirements.txt
	python3 -m venv python/.venv
	python/.venv/bin/pip install --quiet --disable-pip-version-check -r python/tests/requirements.txt
	python/.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target python/.venv/older scikit-learn==1.6.1
	python/.venv/bin/python -c "import site; open(site.getsitepackages()[0] + '/rebelboost.pth', 'w').write('$(CURDIR)/python')"
	touch $@

# After a change of the registry: the signatures and docstrings of the estimators.
python-parameters: python-build
	cd python && .venv/bin/python generate.py

bench:
	bench/run
