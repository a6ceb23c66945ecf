# make help lists the targets. A fresh machine needs Python 3.11 or newer, make and git; the rest is set up here, in .venv.

PYTHON ?= python3
VENV   := .venv
OLDEST := .venv-oldest
BIN    := $(VENV)/bin
PIP    := -m pip -qq --disable-pip-version-check
DEMO   := demo

# A stamp is written when its installation is complete, so an interrupted one starts afresh. It holds the folder's name:
# a checkout that was moved, or whose Python is gone, is set up again too.
DISCARD_STALE = grep -qsxF '$(CURDIR)' $(1)/.ready && $(1)/bin/python -c '' 2>/dev/null || rm -f $(1)/.ready*
$(shell $(call DISCARD_STALE,$(VENV)); $(call DISCARD_STALE,$(OLDEST)))

define NEW_VENV
@command -v $(PYTHON) >/dev/null || { \
    echo "$(PYTHON) is not there. Install Python 3.11 or newer, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if v >= (3, 11) else \
    "distinguo needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Name another: make PYTHON=python3.12" % v)'
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
    echo "$(PYTHON) cannot make virtual environments. Install its venv package (Debian, Ubuntu: python3-venv)." >&2; exit 1; }
@test -e $(1)/.ready || { echo "setting up $(1) ..."; $(PYTHON) -m venv --clear $(1); }
endef

.DEFAULT_GOAL := help
.PHONY: help demo test test-oldest lint format bench browser clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

# What the library needs.
$(VENV)/.ready: pyproject.toml
	$(call NEW_VENV,$(VENV))
	@$(BIN)/python $(PIP) install -e .
	@echo '$(CURDIR)' > $@

# What working on it needs besides.
$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "installing the tools for tests and checks ..."
	@$(BIN)/python $(PIP) install -e '.[dev]'
	@touch $@

# The lowest versions that pyproject.toml allows.
$(OLDEST)/.ready: pyproject.toml tests/oldest.py
	$(call NEW_VENV,$(OLDEST))
	@$(OLDEST)/bin/python tests/oldest.py > $(OLDEST)/oldest.txt
	@$(OLDEST)/bin/python $(PIP) install -e '.[test]' -c $(OLDEST)/oldest.txt
	@echo '$(CURDIR)' > $@

# Tests run in several processes; a BLAS that starts threads in each of them would only have them wait for each other.
test test-oldest: export OPENBLAS_NUM_THREADS = 1

demo: $(VENV)/.ready  ## compare, fit, predict and describe on an embedded data set
	@mkdir -p $(DEMO)
	$(BIN)/distinguo compare iris
	$(BIN)/distinguo fit iris -o $(DEMO)/model.dgo
	$(BIN)/distinguo predict $(DEMO)/model.dgo iris -o $(DEMO)/predictions.csv
	@head -n 3 $(DEMO)/predictions.csv
	$(BIN)/distinguo describe $(DEMO)/model.dgo
	@echo
	@echo "The fitted model is in $(DEMO)/model.dgo, the classified rows are in $(DEMO)/predictions.csv."

# The report is tested in a real browser. Where packages can be installed it is; else one line says what is missing.
BROWSER := chromium chromium-driver
browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    echo "installing $(BROWSER) ..." && apt-get update -qq >/dev/null 2>&1 && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(BROWSER) >/dev/null 2>&1; } || \
	    echo "no $(BROWSER): the tests of the report in a browser are skipped"

test: lint browser  ## everything that CI runs: checks, then tests
	@$(BIN)/python -m pytest -n auto --dist loadgroup

test-oldest: $(OLDEST)/.ready  ## the tests with the oldest versions supported
	@$(OLDEST)/bin/python -m pytest -n auto --dist loadgroup tests

lint: $(VENV)/.ready-dev  ## style, types and the direction of imports
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/python -m mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

format: $(VENV)/.ready-dev  ## let ruff lay out the code and mend what it can
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

bench: $(VENV)/.ready-dev  ## measure speed and memory beside the peers
	@$(BIN)/python -m benchmarks

clean:  ## remove the environments, caches and what the demo wrote
	rm -rf $(VENV) $(OLDEST) $(DEMO) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
