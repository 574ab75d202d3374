# Everything works on a bare clone with Python >= 3.11, pip, cargo and make: each target creates
# .venv and builds what it needs, running what needs it to run, development the rest as well. The page
# of airtcp explore needs Node 20.19 and Rust's target wasm32-unknown-unknown, its tests chromium.

PYTHON  ?= python3
PYTHONS ?= $(PYTHON)
PROFILE ?= dev
WORKERS ?= auto
VENV    := .venv
BIN     := $(VENV)/bin
QUIETLY := install --quiet --disable-pip-version-check --no-compile
PIP     := $(BIN)/python -m pip $(QUIETLY)
PINNED  := --require-hashes --requirement
NEWEST  := .venv-newest
TOOLBOX := .venv-release
EXTRAS  := arrow,dask,polars,sql,xarray
TOOLS   := pytest pytest-xdist hypothesis jsonschema
QUICK   := $(addprefix tests/test_,results.py results_plot.py results_cli.py exports_of_links.py events.py stats.py dask.py)
# A test that hangs names its threads and fails, in place of holding up all others.
TIMED   := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart 0
MATURIN := VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 $(BIN)/maturin
SITE    := $(BIN)/python scripts/notebook_pages.py && $(BIN)/zensical build --strict
AT_ONCE := $(MAKE) --no-print-directory --jobs 2
# What a command starts itself does not count among the jobs of this make.
ALONE   := MAKEFLAGS=
# Workers use all cores; threads of the linear algebra of each would only wait for one another.
THREAD  := OPENBLAS_NUM_THREADS=1
RUST    := $(shell find crates -type f | sort) Cargo.toml Cargo.lock refs.bib

.PHONY: help demo test test-rust test-python instructions fuzz agreement check check-rust check-python audit advisories links kernel gen pages notebooks web web-test web-pictures web-speed format bench papers gallery sensitivity statistics fit-coverage fit-sojourn-coverage fit-rates-coverage fit-rates-tcp cellular-paths loss-causes loss-cause-posterior link-round-trip replay validity docs wheel wheel-test sdist newest build dev clean
.DELETE_ON_ERROR:

help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t 12

demo: build ## The main job: examples/pedestrian.toml by analysis and simulation, with a report
	$(BIN)/airtcp run examples/pedestrian.toml --out out/pedestrian

test: test-rust test-python ## All tests, Rust and Python

test-rust: dev
	$(ALONE) cargo test --workspace --exclude airtcp-bench --quiet

test-python: dev
	$(ALONE) $(THREAD) $(BIN)/pytest $(TIMED) --numprocesses $(WORKERS) --dist loadfile

instructions: ## Instructions per packet by valgrind, against the numbers in bench/instructions/limits.json
	$(ALONE) $(PYTHON) bench/instructions/count.py

fuzz: dev ## The random tests of documents, hostile texts, journals, logs, measured files, signals, fading, queues, ns-2, packetdrill and captures, and metamorphic relations, in full; hours
	AIRTCP_FUZZ=20000 $(BIN)/pytest --numprocesses auto tests/test_journal_fuzz.py tests/test_scenario_fuzz.py
	AIRTCP_FUZZ=2000 $(BIN)/pytest --numprocesses auto tests/test_points.py tests/test_hostile_text.py tests/test_hostile_names.py tests/test_containers.py tests/test_rounds.py
	AIRTCP_FUZZ=100 $(BIN)/pytest --numprocesses auto tests/test_signals.py
	AIRTCP_PROCESSES=1 $(BIN)/pytest --numprocesses auto tests/test_aqm.py
	AIRTCP_METAMORPHIC=40 $(BIN)/pytest --numprocesses auto tests/test_metamorphic.py
	AIRTCP_MUTATIONS=20000 $(BIN)/pytest --numprocesses auto tests/test_live_log.py tests/test_live_answer.py
	AIRTCP_MUTATIONS=10000 $(BIN)/pytest --numprocesses auto tests/test_measured_fuzz.py
	AIRTCP_FADING_DRAWS=20000 $(BIN)/pytest --numprocesses auto tests/test_fading_coverage.py
	AIRTCP_NS2_RUNS=2000 $(BIN)/pytest tests/test_ns2_differential.py
	PROPTEST_CASES=100000 cargo test --package airtcp-radio --quiet --test all transmitter::
	AIRTCP_PROPERTIES=100000 cargo test --package airtcp-radio --quiet --test all rates::
	AIRTCP_PROPERTIES=100000 cargo test --package airtcp-sim --quiet --test all -- any_scenario counts_keep_their_properties
	AIRTCP_FUZZ_SECONDS=3600 cargo test --package airtcp-sim --quiet --test all completion:: -- --ignored
	AIRTCP_MUTATIONS=100000 cargo test --package airtcp-packetdrill --quiet mutations
	AIRTCP_MUTATIONS=100000 cargo test --package airtcp-replay --quiet --test all mutations::
	$(BIN)/python tests/capture_mutations.py 10000

agreement: dev ## The statistical comparisons of simulation and analysis in full; ten minutes
	AIRTCP_ADVICE=200 AIRTCP_AGREEMENT=40 AIRTCP_VERDICTS=1000 $(BIN)/pytest --numprocesses auto --dist loadfile tests/test_agreement.py tests/test_verdicts.py tests/test_advise.py

check: dev ## Format, lints, types, prose, generated files, docs: nothing is changed
	@$(AT_ONCE) --output-sync=target check-rust check-python

check-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

check-python:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/mypy
	$(BIN)/python scripts/gen.py --check
	$(BIN)/python scripts/prose.py
	$(BIN)/python scripts/figure.py --check
	$(SITE)

audit: dev ## Workflows, crates and their licences, wheel and source distribution: half a minute
	$(ALONE) $(PYTHON) scripts/audit.py

advisories: ## Known weaknesses of what is pinned, from databases on the net
	$(PYTHON) scripts/advisories.py

links: ## External addresses in texts and sources that are gone, asked on the net; minutes
	$(PYTHON) scripts/links.py

kernel: dev ## The emulator and profile linux beside the kernel of this machine; needs root, minutes
	$(BIN)/pytest tests/test_kernel_agreement.py tests/test_kernel_linux.py tests/test_kernel_rates.py tests/test_referee.py tests/test_referee_linux.py

gen: dev ## Rewrite what follows from schema, registries and the command line, in seconds: spec.py, the schema, reference, guide, pages for man
	$(BIN)/python scripts/gen.py

pages: gen ## Rewrite outputs and figures in pages, in minutes: they are played
	$(BIN)/python scripts/figure.py
	$(BIN)/python scripts/compare_profiles.py
	$(BIN)/python scripts/play.py docs/evidence/comparison.md docs/tutorials/*.md

notebooks: dev ## Execute the notebooks of the docs anew
	$(BIN)/python scripts/notebooks.py

format: $(VENV)/.dev ## Format the sources
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: ## Benchmarks, as a release is built; the figures are kept in bench/README.md
	$(MAKE) dev PROFILE=release
	cargo bench --package airtcp-bench --quiet
	$(BIN)/python bench/embedded.py
	$(BIN)/python bench/exact.py
	$(BIN)/python bench/arq.py
	$(BIN)/python bench/results.py
	$(BIN)/python bench/tracing.py

papers: build ## Every table and figure of every paper, in full
	$(BIN)/airtcp reproduce --out out/papers

gallery: papers dev ## The figures and verdicts in the documentation, from the papers in full
	$(BIN)/python scripts/gallery.py out/papers

sensitivity: dev ## Which claims of Lahanas and Tsaoussidis depend on how their paper is read: docs/papers/lahanas_sensitivity.md; ten minutes, goes on where it was interrupted
	$(BIN)/python scripts/sensitivity.py

statistics: dev ## What intervals, tests and verdicts keep of what they promise, in docs/evidence/promises.md, in minutes; fails where a promise is broken
	$(BIN)/python scripts/promises.py

fit-coverage: dev ## How often intervals of fitted losses cover the truth and the right model is chosen: docs/evidence/fitting_losses.md; half an hour on two cores; goes on where it was interrupted; fails where a promise is broken
	$(BIN)/python scripts/fit_coverage.py

fit-sojourn-coverage: dev ## How often intervals of fitted sojourns and delays cover the truth and the right law is chosen: docs/evidence/fitting_sojourns.md; half an hour on two cores; goes on where it was interrupted; fails where a promise is broken
	$(BIN)/python scripts/fit_sojourn_coverage.py

fit-rates-coverage: dev ## How often intervals of fitted rates cover the truth: docs/evidence/fitting_rates.md; ten minutes on two cores; goes on where it was interrupted; fails where a promise is broken
	$(BIN)/python scripts/fit_rates_coverage.py

fit-rates-tcp: dev ## TCP over processes fitted to traces beside the traces: tables of docs/evidence/fitting_rates.md; ten minutes on a core, needs the traces; goes on where it was interrupted; fails where a promise is broken
	$(BIN)/python scripts/fit_rates_tcp.py

cellular-paths: dev ## CUBIC and BBR, alone and side by side, over 430 measured cellular paths: docs/reference/cellular_paths.md; five minutes
	$(BIN)/python scripts/cellular_paths.py

link-round-trip: dev ## Traffic through the emulator over link profiles, captured and fitted: loss rates are in the fit's intervals, rates within 3 % and round trips within 3 ms; five minutes, needs root, tcpdump and ping
	$(BIN)/python scripts/link_round_trip.py

loss-causes: dev ## How often causes of losses in simulated captures are right: docs/evidence/loss_causes.md; ten minutes on two cores; goes on where it was interrupted; fails where a promise is broken
	$(BIN)/python scripts/loss_causes.py

loss-cause-posterior: dev ## Coefficients of the posterior of causes of losses: python/airtcp/data/loss_causes.csv; ten minutes on two cores; goes on where it was interrupted
	$(BIN)/python scripts/loss_cause_posterior.py

replay: dev ## How much of the library of captures is explained, which controls are named and changed rules found out: the tables of docs/evidence/replay.md; a quarter of an hour
	$(BIN)/python scripts/replay_tables.py

validity: dev ## Maps and ranges of where each formula holds, in docs/explanation/formulas.md: a quarter of an hour on two cores; goes on where it was interrupted
	$(BIN)/python scripts/validity.py

docs: dev ## The documentation as a site, in site/, with the page of `airtcp explore` where it can be built
	$(SITE)
	$(ALONE) $(PYTHON) scripts/explorer.py --site site/explorer

web: ## The page that `airtcp explore` shows, in python/airtcp/explorer; needs Node 20.19, and Rust's target wasm32-unknown-unknown
	$(ALONE) $(PYTHON) scripts/explorer.py

web-test: dev web ## The page in Debian's chromium: runs equal native ones bit by bit, statistics equal Python's
	$(ALONE) AIRTCP_WEB=1 $(BIN)/pytest $(TIMED) --numprocesses 2 --dist loadfile tests/test_explorer*.py

web-pictures: dev web ## Pictures of the page in three widths, light, dark and printed: docs/evidence/explorer; minutes
	$(BIN)/python scripts/explorer_pictures.py

web-speed: dev web ## How fast the page is on this machine, in Debian's chromium, also as a share of native speed; a minute
	$(BIN)/python scripts/page_speed.py

wheel: ## The wheel that is released for this machine, in dist/, and a look at it; minutes
	$(PYTHON) scripts/wheel.py

wheel-test: ## The same, tried by each of PYTHONS in an empty environment: its size, the demo, the README, every tutorial, a notebook
	$(PYTHON) scripts/wheel.py $(addprefix --try ,$(PYTHONS))

sdist: ## The source distribution, in dist/, resolved and built from, and tried as the wheel is; minutes
	$(PYTHON) scripts/sdist.py $(addprefix --try ,$(PYTHONS))

newest: dev ## The quick tests with the newest versions that pyproject.toml allows, in an environment of its own, .venv-newest
	@rm -rf $(NEWEST)
	@$(PYTHON) -m venv $(NEWEST)
	@$(NEWEST)/bin/python -m pip $(QUIETLY) "$$(ls -t target/wheels/airtcp-*.whl | head -1)[$(EXTRAS)]" $(TOOLS)
	@$(NEWEST)/bin/python scripts/newest.py requirements.txt requirements-dev.txt
	$(ALONE) $(NEWEST)/bin/python -m pytest $(TIMED) --numprocesses auto --dist loadfile -W default $(QUICK)

build: ## The Python environment with airtcp in it and what running needs
	@$(AT_ONCE) $(VENV)/.run $(VENV)/.compiled-$(PROFILE)
	@$(MAKE) --no-print-directory $(VENV)/.installed

dev: ## The same with the tools of development
	@$(AT_ONCE) $(VENV)/.dev $(VENV)/.compiled-$(PROFILE)
	@$(MAKE) --no-print-directory $(VENV)/.installed

clean: ## Remove what was built
	rm -rf $(VENV) $(NEWEST) $(TOOLBOX) .venv-elsewhere target site web/node_modules python/airtcp/explorer

# Compilation waits for this one alone: pip comes with the rest.
$(VENV)/.python: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "airtcp needs Python >= 3.11; set PYTHON=")'
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv --without-pip $(VENV)
	@sed -n '/^maturin==/,/[^\\]$$/p' requirements.txt > $(VENV)/maturin.txt
	@$(PYTHON) -m pip --python $(BIN)/python $(QUIETLY) $(PINNED) $(VENV)/maturin.txt
	@touch $@

$(VENV)/.run: requirements.txt $(VENV)/.python
	@echo "Installing what running needs (requirements.txt)"
	@$(BIN)/python -m ensurepip --default-pip >/dev/null
	@$(PIP) $(PINNED) requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	@echo "Installing the tools of development (requirements-dev.txt)"
	@$(PIP) $(PINNED) requirements-dev.txt
	@touch $@

$(VENV)/.compiled-$(PROFILE): $(RUST) pyproject.toml packaging/description.md LICENSES-THIRD-PARTY.txt $(VENV)/.python
	@rm -f $(VENV)/.compiled-*
	@$(MATURIN) build --profile $(PROFILE) --interpreter $(BIN)/python --out target/wheels
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.run $(VENV)/.compiled-$(PROFILE)
	@$(MATURIN) develop --profile $(PROFILE) --quiet
	@touch $@
