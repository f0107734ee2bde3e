# Two commands matter: `make demo` and `make test`.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
NAME ?= reply
SHELL := /bin/bash

.PHONY: demo test test-all crash hostile fuzz check bench lock services train-understanding clean

demo: $(VENV)/.demo
	$(BIN)/butler demo

# Half of what a test of the daemon takes is waiting: four processes keep two cores busy.
RUN := $(BIN)/python -m pytest -n 4 --dist worksteal
test: $(VENV)/.dev services
	$(RUN) -m "not nightly"

# Everything, with what takes long; what decides about your yes is covered to the last branch. It ends with the slowest tests.
test-all: $(VENV)/.dev services
	-VENV=$(VENV) $(BIN)/python -m bench.compared
	$(RUN) --durations=30 --cov=approvals --cov=butler.bulk --cov=butler.provenance --cov-report=
	$(BIN)/coverage report --fail-under=100

# The scenarios that everything rests on, killed before and after every single commit and call; the suite takes samples.
crash: $(VENV)/.dev
	BUTLER_EVERY_POINT=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/crash/test_kill_points.py

# Every attack of the corpus alone, in every place that others can write to; `make test` takes several at a time.
hostile: $(VENV)/.dev
	BUTLER_EVERY_ATTACK=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/hostile/test_injections_everywhere.py

# Inputs that nobody has seen, for each target that tests/fuzz has; what it finds becomes a test.
fuzz: $(VENV)/.dev
	for target in tests/fuzz/fuzz_*.py; do \
		$(BIN)/python -m tests.fuzz.$$(basename $$target .py) --seconds 60 --engine chance --seed $$RANDOM$$RANDOM || exit 1; \
	done

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.check_names
	$(BIN)/butler contracts check
	$(BIN)/python -m scripts.reference --check
	$(BIN)/python -m scripts.texts --check
	$(BIN)/butler experts check

bench: $(VENV)/.dev
	VENV=$(VENV) $(BIN)/python -m bench.$(NAME)

# The network that reads requests, out of the example requests beside the intents' tables: an hour or two on two cores.
train-understanding:
	$(PYTHON) -m venv $(VENV)-train
	$(VENV)-train/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements-train.lock
	$(VENV)-train/bin/python -m scripts.train_understanding

# Servers that tests talk to; what cannot be had is said, and the tests that need it say that they were left out.
services:
	bash scripts/install-services.sh

lock: $(VENV)/.dev
	$(BIN)/uv pip compile -q pyproject.toml --extra demo --extra postgres --extra models --extra remote --generate-hashes --no-emit-index-url --no-emit-package butler-demo --no-header --python-version 3.11 -o requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --all-extras --group dev --group bench --generate-hashes --no-emit-index-url --no-emit-package butler-demo --no-header --python-version 3.11 -c requirements.lock -o requirements-dev.lock
	$(BIN)/uv pip compile -q --group train --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements-train.lock
	$(BIN)/uv pip compile -q --group compared --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements-compared.lock

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e . -e ./demo
	touch $@

$(VENV)/.dev: $(VENV)/bin/python requirements-dev.lock
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e . -e ./demo
	touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build dist *.egg-info
