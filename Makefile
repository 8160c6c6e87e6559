# Two commands for newcomers: `make test` and `make demo`. Each makes .venv first if it is not there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LEAN   := $(VENV)/.lean
READY  := $(VENV)/.ready
SOURCES := src tests $(wildcard validation benchmarks examples) $(wildcard docs/*.py)

.PHONY: test demo page bench validate docs lint library clean install install-lean fuzz mutants

install: $(READY)

$(READY): $(LEAN)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test,docs]"
	touch $(READY)
	@echo "Interstage is installed in $(VENV). Kernels compile on first use; '$(BIN)/interstage warm' compiles all of them now."

# What users, and the demo, need alone, without the tools of tests and docs
$(LEAN): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 'Interstage needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	touch $(LEAN)

install-lean: $(LEAN)
	@echo "Interstage is installed in $(VENV), without tests and docs; 'make install' adds them."

lint: $(READY)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/lint-imports --config .importlinter
	$(BIN)/mypy

# Two processes, a file at a time, in the order of tests/conftest.py.
BESIDE := -n 2 --dist loadfile --no-loadscope-reorder

# Every run compiles its kernels anew in a cache folder of its own, so that a stale cache cannot hide a fault.
test: lint
	@cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && \
	export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= && \
	echo "== tests" && NUMBA_CACHE_DIR="$$cache" $(BIN)/python -m pytest $(BESIDE) && \
	echo "== kernels without compilation" && \
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(BESIDE) -m kernels --no-header $$(grep -rl "mark.kernels" tests --include="*.py")

# A million hostile files of every kind, for the night; inputs that bring anything but a sentence are kept in fuzz-found.
# Then interrupts of runs at random instants: each is heard, or the run is the same to the last bit
INPUTS ?= 1000000
INTERRUPTS ?= 2000
# of each of batches, compilation, linear analyses, runs that go on and studies
WORKS ?= 100
# Last, wrong arguments for the main calls: each is one sentence
CALLS ?= 20000
# Disks that fill up under runs, and under every other writer: one sentence, and the rows that fit or what was there
DISKS ?= 1000
# Kernels on disk that are damaged, and studies whose workers are killed (of each of processes and dask)
DAMAGES ?= 400
STUDIES ?= 60
# Flight files, damaged
FLIGHTS ?= 100000
# Another seed tries other inputs; the workflow gives each night its own
SEED ?= 0
fuzz: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/hostile.py $(INPUTS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/interrupts.py $(INTERRUPTS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/interrupted_work.py $(WORKS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/wrong_calls.py $(CALLS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/full_disks.py $(DISKS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/full_writers.py $(DISKS) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/damaged_caches.py $(DAMAGES) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/killed_workers.py $(STUDIES) $(SEED)
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/flight_files.py $(FLIGHTS) $(SEED)

# Faults planted one at a time, for the night: how many of them the tests see
MUTANTS ?= 200
mutants: $(READY)
	$(BIN)/python tests/fuzz/mutants.py $(MUTANTS) --write

demo: $(LEAN)
	$(BIN)/interstage demo --out demo

# The report's script and style, for those who change them; users need no node
web/node_modules/.ready: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

page: web/node_modules/.ready
	cd web && npm run build

# pyNastran pins an older numpy, Drake and Basilisk are large: peers live in an environment of their own
.venv-peers/.ready: constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check pyNastran==1.4.1 drake==1.51.1 pyyeti==1.4.7 \
		bsk==2.12.1 mujoco==4.0.0
	touch .venv-peers/.ready

bench: $(READY) .venv-peers/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python -m benchmarks --write $(BENCH)

validate: $(READY)
	$(BIN)/python -m validation --write

# Flights without Python: build/native/libinterstage.so (.dylib, .dll) and its header
library: $(LEAN)
	mkdir -p build/native && cd build/native && $(abspath $(BIN))/interstage library

docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf $(VENV) .venv-peers build docs/_build .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
