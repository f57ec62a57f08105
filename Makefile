# Two commands for everybody: `make demo` and `make test`. Each sets up all it needs.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check fmt bench docs clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(STAMPS)/run  ## Install what is needed and watch governed calls happen
	@$(BIN)/toolgate demo

test: $(STAMPS)/test  ## Install what is needed and run the tests
	@$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term

test-all: $(STAMPS)/test  ## Also the slow suites
	@$(BIN)/python -m pytest -n 2 --cov --cov-report=term

check: $(STAMPS)/check $(STAMPS)/test  ## Format, lint, types, import direction, generated pages
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/error_table.py --check

fmt: $(STAMPS)/check  ## Format the code and mend what can be mended
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

docs: $(STAMPS)/run  ## Write the generated pages
	@$(BIN)/python scripts/error_table.py

bench: $(STAMPS)/bench  ## Measure against peers and floors; writes docs/performance.md
	@$(BIN)/python -m bench

clean:  ## Remove everything that was set up
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .coverage

$(STAMPS)/venv: constraints.txt
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Toolgate needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@touch $@

$(STAMPS)/run: $(STAMPS)/venv pyproject.toml
	@$(PIP) --editable ".[all]"
	@touch $@

$(STAMPS)/test: $(STAMPS)/run
	@$(PIP) --group test
	@touch $@

$(STAMPS)/check: $(STAMPS)/run
	@$(PIP) --group check
	@touch $@

$(STAMPS)/bench: $(STAMPS)/test
	@$(PIP) --group bench
	@command -v wrk >/dev/null || (apt-get install -y -qq wrk >/dev/null 2>&1) || echo "wrk is missing (Debian: apt-get install wrk): the REST rows are left out"
	@touch $@
