# The front door over CMake and Ninja. `make help` lists the targets; `cmake --preset release` works as well.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

PYTHON = .venv/bin/python
PROGRAM = build/megacade

# Hand-written C; what the generators in tools/ write keeps the shape it was written in.
SOURCES = $(shell find include python src tests -name '*.[ch]' ! -path 'src/games/game_*.h' \
            ! -path src/games/mega_games.h ! -path src/games/catalogue.c ! -path src/games/builtin_rom.c ! -path src/console/mega_opcodes.h \
            ! -path src/env/mega_palettes.h | sort)

.DEFAULT_GOAL := build
.PHONY: build setup setup-test package test test-gpu demo parity bench asan asan-python tsan fuzz format \
        check-format install clean help

build: ## build the library and the program into build/ (the default)
	@mkdir -p build && cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build --parallel $(JOBS)

setup: ## install the packages that the build needs and this machine lacks
	@tools/setup.sh

setup-test: ## the same, and the Python environment of the tests in .venv/
	@tools/setup.sh test

package: setup-test ## build the Python package and install it into .venv/
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .

test: setup-test ## build, then run all tests: C, command line, Python
	@$(MAKE) --no-print-directory build package
	@status=0; \
	ctest --test-dir build --parallel $(JOBS) --output-on-failure || status=1; \
	$(PYTHON) -m pytest -q tests/python || status=1; \
	exit $$status

test-gpu: setup ## build, then run the tests that need an NVIDIA GPU; says so where there is none
	@$(MAKE) --no-print-directory build
	@ctest --test-dir build -L gpu --verbose --timeout 600

demo: setup ## train on the built-in game for a minute; the curve, and films of before and after, go to build/demo/
	@$(MAKE) --no-print-directory build
	@rm -rf build/demo && mkdir -p build/demo
	$(PROGRAM) bench --load emulate --envs 256 --threads $(JOBS) --seconds 3
	$(PROGRAM) record --out build/demo/before.gif
	@if ! nvidia-smi -L > /dev/null 2>&1 || ! $(PROGRAM) train --preset demo-gpu --out build/demo/run; then \
	    rm -rf build/demo/run; echo "$(PROGRAM) train --preset demo --out build/demo/run"; \
	    $(PROGRAM) train --preset demo --out build/demo/run; fi
	$(PROGRAM) eval build/demo/run --episodes 50
	$(PROGRAM) record --policy build/demo/run --out build/demo/after.gif
	@cp build/demo/run/curve.png build/demo/curve.png
	@echo "See build/demo/before.gif, after.gif and curve.png; docs/learn.md tells how to go on"

parity: setup-test ## compare with ale-py, game by game, at length
	@$(MAKE) --no-print-directory build
	MEGACADE_TRANSLATE=0 $(PYTHON) tests/parity/parity.py --long
	MEGACADE_TRANSLATE=now $(PYTHON) tests/parity/parity.py --long
	@$(MAKE) --no-print-directory package
	MEGACADE_LONG=1 $(PYTHON) -m pytest -q tests/python/test_dropin_vector.py

bench: setup-test ## compare the speed with ale-py's on this machine (bench/README.md)
	@$(MAKE) --no-print-directory build
	$(PYTHON) bench/compare_ale.py --out bench/results/compare_ale.csv

asan: setup ## build with sanitizers into build-asan/ and run the C and command line tests there
	@cmake --preset asan
	@cmake --build build-asan --parallel $(JOBS)
	@ctest --test-dir build-asan --parallel $(JOBS) --output-on-failure

# Python itself is not sanitized, so the sanitizer must be loaded first, and what Python keeps to its end is no leak.
asan-python: setup-test ## the same for the Python extension: its tests and a fuzzer, with build-asan/package/
	@cmake --preset asan -DMEGA_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
	@cmake --build build-asan --target megacade_core --parallel $(JOBS)
	@rm -rf build-asan/package && mkdir build-asan/package && cp -r python/megacade build-asan/package
	@cp build-asan/python/_core.abi3.so build-asan/package/megacade
	@cp roms/comet_catch.bin build-asan/package/megacade/roms
	@export LD_PRELOAD=$$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
	    PYTHONPATH=build-asan/package; status=0; \
	$(PYTHON) -m pytest -q tests/python/test_vector.py tests/python/test_cuda.py tests/python/test_package.py -k 'not wheel' || status=1; \
	$(PYTHON) tests/fuzz/fuzz_package.py || status=1; \
	exit $$status

tsan: setup ## build with the thread sanitizer into build-tsan/ and run the tests of vectors there
	@cmake --preset tsan
	@cmake --build build-tsan --parallel $(JOBS)
	@ctest --test-dir build-tsan -R test_vector --output-on-failure
	build-tsan/tests/fuzz_vector --calls 20000

fuzz: build ## run the fuzzers of game modes, of vectors, of translated cartridges and of a run's files
	build/tests/fuzz_modes
	build/tests/fuzz_vector
	build/tests/fuzz_translate
	build/tests/fuzz_checkpoint
	build/tests/fuzz_run_files

format: ## bring the hand-written C sources into the project's format
	@clang-format -i $(SOURCES)

check-format: ## say which sources are not in the project's format
	@clang-format --dry-run -Werror $(SOURCES)

install: build ## install below $(PREFIX); PREFIX= and DESTDIR= are honoured
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean: ## remove the build folders; .venv/ stays
	@rm -rf build build-asan build-tsan build-debug build-clang

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
