# Everything runs in .venv, which any target makes on first use; needs python3 (3.11+), make and git.
PYTHON ?= python3
BIN := .venv/bin
NPM := .venv/npm
RUNS := .venv/.runs
READY := .venv/.ready
# A test waits about as long for browsers and servers as it computes: more workers than cores keep two busy.
WORKERS ?= 4
DRILLS ?= $(addprefix tests/server/,test_drill.py test_servers.py test_rolling_upgrade.py \
	test_failover.py test_nginx.py audit/test_insider_drill.py test_clocks.py \
	records/test_gone.py house/test_server_clock.py http/test_server_stalls.py test_flood_drill.py house/test_office_commands.py)
LOCK := $(BIN)/uv pip compile -q pyproject.toml --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-header

# A program that starts a hundred times in the tests must not be compiled a hundred times.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test evidence quick check format clauses screenshots coverage docs mutants bench drill deep golden archive lock lowest release clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(RUNS) ## open the house and print its address; Ctrl-C closes it
	@exec $(BIN)/wartable serve --any-port --approve "started by make run"

test: $(READY) ## run all tests; WORKERS=2 takes less memory
	@$(BIN)/pytest -q -n $(WORKERS) --results

evidence: test screenshots ## test, take pictures, and make what a laboratory asks for in build/evidence
	@$(BIN)/wartable evidence --out build/evidence

quick: $(READY) ## run the tests that need no browser, no PostgreSQL, no running house and little time
	@$(BIN)/pytest -q -n 2 -m "not browser and not postgres and not house and not slow"

check: $(READY) ## check format, lint, types and tidiness
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/node $(NPM)/node_modules/typescript/bin/tsc -p jsconfig.json
	@$(BIN)/pytest -q tests/project/test_tidy.py

format: $(READY) ## format the code and mend what lint can mend
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

clauses: $(READY) ## print which clauses are proven; SURFACE=engine shows one surface
	@$(BIN)/pytest -q -n $(WORKERS) --clauses $(SURFACE:%=--surface=%)

screenshots: $(READY) ## picture every page into build/screenshots; MOMENT=wheel for one moment
	@$(BIN)/python tests/setup/screenshots.py $(MOMENT)

coverage: $(READY) ## measure which lines and branches the tests run; TESTS="-m 'not browser'" measures these
	@rm -rf build/coverage
	@$(BIN)/coverage run -m pytest -q -n $(WORKERS) $(TESTS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

docs: $(READY) ## build the documentation site into build/docs; a house of this project serves it at /docs
	@$(BIN)/python tests/setup/site_builder.py

mutants: $(READY) ## change the code in small ways and print what no test notices; MODULE=game/settlement tries one
	@$(BIN)/python tests/setup/mutants.py $(MODULE)

bench: $(READY) ## run the benchmarks; BENCH="server clients" runs these
	@for file in $(or $(BENCH:%=bench/%.py),bench/*.py); do $(BIN)/python "$$file" || exit; done

drill: $(READY) ## try to hurt a house: kills, insiders, wrong clocks, stalls, floods, office commands; DRILLS="tests/..." for some
	@$(BIN)/pytest -q -n 2 --deep $(DRILLS)

deep: $(READY) ## run all tests in their long variants
	@$(BIN)/pytest -q -n $(WORKERS) --deep

golden: $(READY) ## write the golden playthroughs anew and print what changed; NAME=book/name or tables/name for one
	@$(BIN)/python tests/setup/golden.py $(NAME)
	@$(BIN)/python tests/setup/table_goldens.py $(NAME)

archive: $(READY) ## keep the current rule books in the archive of released versions
	@$(BIN)/python tests/rules/archive.py

lock: $(READY) ## compile requirements/ from pyproject.toml; UPGRADE=1 takes newer versions
	@$(LOCK) $(UPGRADE:%=--upgrade) -o requirements/base.txt
	@$(LOCK) $(UPGRADE:%=--upgrade) --all-extras --group dev -o requirements/dev.txt
	@$(LOCK) -c requirements/dev.txt --extra server --extra postgres --group build -o requirements/run.txt
	@$(LOCK) $(UPGRADE:%=--upgrade) --all-extras --group dev --resolution lowest-direct -o requirements/lowest.txt
	@cd requirements && ../$(BIN)/npm $(if $(UPGRADE),update,install) --package-lock-only \
		--omit-lockfile-registry-resolved --no-audit --no-fund --loglevel=error

lowest: $(READY) build/lowest/.ready ## run the tests without browser and PostgreSQL, with the lowest versions that pyproject.toml allows
	@build/lowest/bin/pytest -q -n 2 -m "not browser and not postgres" --ignore=tests/evidence # which wants the locked versions

release: $(READY) ## check and build a release into dist/ and play from its wheel; publishes nothing
	@$(BIN)/python tests/setup/release.py

clean: ## remove .venv and everything generated
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp is written last, so that a set-up that failed is done again. The first is all that running needs.
$(RUNS): requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Wartable needs Python 3.11 or newer; name one with: make PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Wartable needs Python's venv module with pip (on Debian the package python3-venv)." >&2; exit 1; }
	@echo "Setting up .venv (once; it takes half a minute) ..."
	@rm -f $@
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -q --no-compile --require-hashes --no-deps -r requirements/run.txt
	@$(BIN)/python -m pip install -q --no-build-isolation --no-deps -e .
	@touch $@

$(READY): $(RUNS) requirements/dev.txt requirements/package-lock.json
	@echo "Adding what the tests need to .venv (once; it takes a minute) ..."
	@rm -f $@
	@$(BIN)/python -m pip install -q --require-hashes --no-deps -r requirements/dev.txt
	@$(BIN)/python -m compileall -q -j 2 .venv/lib >/dev/null || true # some files are for another Python
	@mkdir -p $(NPM) && cp requirements/package.json requirements/package-lock.json $(NPM)
	@$(BIN)/npm ci --prefix $(NPM) --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

build/lowest/.ready: requirements/lowest.txt pyproject.toml
	@rm -rf build/lowest && $(PYTHON) -m venv build/lowest
	@build/lowest/bin/python -m pip install -q --require-hashes --no-deps -r requirements/lowest.txt
	@build/lowest/bin/python -m pip install -q --no-build-isolation --no-deps -e .
	@touch $@
