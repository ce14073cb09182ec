# Every target works alone on a machine that has make and Python >= 3.11:  make test PYTHON=python3.13

PYTHON ?= python3
VENV ?= .venv
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
LOCK = uv --quiet pip compile --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
       --no-emit-index-url --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# One more than there are cores here, since tests wait for browsers and for processes they have begun.
WORKERS ?= 3
# A test that hangs fails, with what each thread was doing; the dearest takes half a minute on a quiet machine.
PYTEST = $(VENV)/bin/pytest -n $(WORKERS) --dist loadgroup --timeout 900
# The scripts of the page, as the page itself reads them from the manifest, and those of `dse open`.
SCRIPTS = $(shell sed -n 's|.*"\(.*\.js\)".*|dse/report/static/\1|p' dse/report/static/manifest.json) \
          dse/live/static/*.js tests/dse/report/scripts/*.mjs

# The tests start a hundred processes, each of which would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run check test lint style lanes hooks bench docs lock release clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(VENV)/.stamp-run  ## run the study exascale and write its report to runs/
	$(VENV)/bin/dse run exascale --report

check: lint  ## the fast lane: linters, formatters, types, a few cases of each cheap test; says what it left out
	DSE_EXAMPLES=few $(PYTEST) -q --lane check $(PYTEST_ARGS)

test: style  ## linters, formatters, types, all tests (PYTEST_ARGS="-k name" for some of them)
	@# Types beside the tests, which leave a core idle now and then; what they say comes last.
	$(VENV)/bin/mypy > $(VENV)/types.log 2>&1 & types=$$!; $(PYTEST) $(PYTEST_ARGS); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.log; [ $$types -eq 0 ] && exit $$tests; exit $$types

lint: style  ## linters, formatters, types
	$(VENV)/bin/mypy

style: $(VENV)/.stamp-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/oxlint --deny-warnings $(SCRIPTS)
	$(VENV)/bin/oxfmt --check $(SCRIPTS)
	$(VENV)/bin/lint-imports

lanes: $(VENV)/.stamp-test  ## measure anew which tests are too dear for `make check` (quiet machine, three minutes)
	DSE_EXAMPLES=few $(PYTEST) -q --lane measure
	DSE_EXAMPLES=few $(PYTEST) -q --lane more

hooks: $(VENV)/.stamp-test  ## lint what one commits, with your own pre-commit; nothing is fetched
	pre-commit install

bench: $(VENV)/.stamp-run  ## throughput, memory and scaling, as ratios measured in one go
	$(VENV)/bin/python -m benchmarks

docs: $(VENV)/.stamp-docs  ## the site of the documents, to build/site/html (half a minute; needs no network once installed)
	$(VENV)/bin/python docs/scripts/build_site.py

lock:  ## pin the requirements anew (UPGRADE=1: take the newest of everything)
	set -e; tools=$$(mktemp -d); trap 'rm -rf "$$tools"' EXIT; \
	$(PYTHON) -m venv "$$tools"; "$$tools/bin/python" -m pip --disable-pip-version-check --quiet install 'uv>=0.9'; \
	cd requirements; PATH="$$tools/bin:$$PATH"; \
	$(LOCK) ../pyproject.toml build.in -o run.lock; \
	$(LOCK) ../pyproject.toml build.in --extra test -c run.lock -o test.lock; \
	$(LOCK) ../pyproject.toml build.in --extra docs -c test.lock -o docs.lock

release:  ## build the files of a release in dist/, try the wheel, print checksums (RELEASE_DRAFT=1: without a tag)
	PYTHON=$(PYTHON) .ci/release

clean:  ## remove the environment, builds and caches; runs/ stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .import_linter_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps lie in the environment, so that they vanish with it.
$(VENV)/.stamp-venv:
	@command -v $(PYTHON) >/dev/null || { echo "dse needs Python 3.11 or newer, but there is no '$(PYTHON)'."; \
	  echo "Name another one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "dse needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo "'$(PYTHON)' cannot make virtual environments; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-run: $(VENV)/.stamp-venv requirements/run.lock pyproject.toml setup.py dse/version.py
	$(PIP) install --require-hashes -r requirements/run.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@# Where PYTHONDONTWRITEBYTECODE is set each command would compile what it imports, a second of some.
	$(VENV)/bin/python -m compileall -q dse models spaces studies
	@touch $@

$(VENV)/.stamp-test: $(VENV)/.stamp-run requirements/test.lock
	$(PIP) install --require-hashes -r requirements/test.lock
	@touch $@

$(VENV)/.stamp-docs: $(VENV)/.stamp-run requirements/docs.lock
	$(PIP) install --require-hashes -r requirements/docs.lock
	@touch $@
