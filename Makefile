# Everything works on a bare clone with Python >= 3.11, pip, cargo and make: each target creates
# .venv and builds what it needs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs
RUST   := $(shell find crates -name '*.rs' -o -name '*.toml' | sort) Cargo.toml Cargo.lock refs.bib

.PHONY: help demo test fuzz check gen format bench papers gallery docs build clean
.DELETE_ON_ERROR:

help: ## This list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t 10

demo: build ## The main job: examples/pedestrian.toml by analysis and simulation, with a report
	$(BIN)/airtcp run examples/pedestrian.toml --out out/pedestrian

test: build ## All tests, Rust and Python
	cargo test --workspace --quiet
	$(BIN)/pytest --numprocesses auto --dist loadfile

fuzz: build ## The random tests of documents, journals, logs, signals, fading and ns-2 in full; hours
	AIRTCP_FUZZ=20000 $(BIN)/pytest --numprocesses auto tests/test_journal_fuzz.py tests/test_scenario_fuzz.py
	AIRTCP_FUZZ=2000 $(BIN)/pytest --numprocesses auto tests/test_points.py
	AIRTCP_FUZZ=100 $(BIN)/pytest --numprocesses auto tests/test_signals.py
	AIRTCP_MUTATIONS=20000 $(BIN)/pytest --numprocesses auto tests/test_live_log.py tests/test_live_answer.py
	AIRTCP_FADING_DRAWS=20000 $(BIN)/pytest --numprocesses auto tests/test_fading_coverage.py
	AIRTCP_NS2_RUNS=2000 $(BIN)/pytest tests/test_ns2_differential.py

check: build ## Format, lints, types, generated files, docs: nothing is changed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python scripts/gen.py --check
	$(BIN)/python scripts/figure.py --check
	$(MKDOCS) build --strict --quiet

gen: build ## Rewrite what is generated: spec.py, the schema, pages, outputs and figures in pages
	$(BIN)/python scripts/gen.py
	$(BIN)/python scripts/figure.py
	$(BIN)/python scripts/compare_profiles.py
	$(BIN)/python scripts/play.py docs/comparison.md docs/tutorials/*.md
	$(BIN)/python scripts/notebooks.py

format: $(VENV)/.deps ## Format the sources
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: build ## Benchmarks; the figures are kept in bench/README.md
	cargo bench --workspace --quiet
	$(BIN)/python bench/embedded.py
	$(BIN)/python bench/exact.py
	$(BIN)/python bench/arq.py
	$(BIN)/python bench/results.py
	$(BIN)/python bench/tracing.py

papers: build ## Every table and figure of every paper, in full
	$(BIN)/airtcp reproduce --out out/papers

gallery: papers ## The figures and verdicts in the documentation, from the papers in full
	$(BIN)/python scripts/gallery.py out/papers

docs: build ## The documentation as a site, in site/
	$(MKDOCS) build --strict

build: $(VENV)/.built ## The Python environment with airtcp in it

clean: ## Remove what was built
	rm -rf $(VENV) target site

$(VENV)/.deps: requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "airtcp needs Python >= 3.11; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

$(VENV)/.built: $(VENV)/.deps $(RUST) pyproject.toml
	VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 $(BIN)/maturin develop --release --quiet
	touch $@
