# Two commands for a fresh machine: `make demo` and `make test`. Both make their own environment first.
PYTHON ?= python3
CORES ?= all
NAMED := $(PRESET)
PRESET ?= laptop
CONFIG ?=
NAME =
BIN = .venv/bin

demo: .venv/installed  ## builds the demo's report, results/demo/report.html, and checks its key scores
	$(BIN)/snakemake --cores $(CORES) --config preset=demo $(CONFIG)
	@echo "The report: results/demo/report.html"
	$(BIN)/python workflow/scripts/verify.py demo

check: lint  ## runs linters, the type checker and the quickest tests, none of which needs torch: a minute
	$(BIN)/mypy
	$(BIN)/mypy docs/hooks.py
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --quiet -m "not slow" tests/check

test: .venv/installed  ## runs the quick and the unit tests, and one paper from end to end: five minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m "not slow" $(QUICK)
QUICK = tests/workflow/test_one_paper.py tests/check tests/unit

test-all: .venv/installed  ## runs all tests, kills, SLURM, edits and benchmarks too: 45 minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

ENCODERS = bert roberta albert sbert paraphrase-minilm
encoders: .venv/installed  ## rebuilds the tiny encoders of resources/encoders, minutes each
	$(BIN)/snakemake --cores $(CORES) --config preset=demo encoder_source=generated -- $(ENCODERS:%=results/demo/encoders/%/facts.json)
	$(BIN)/python workflow/scripts/ship_encoders.py results/demo $(ENCODERS)

verify: .venv/installed  ## compares the key scores of a preset's finished results with the expected ones
	$(BIN)/python workflow/scripts/verify.py $(or $(NAMED),demo)

publish: named .venv/installed  ## writes docs/results/PRESET (or NAME) from a preset's finished results at the current commit
	$(BIN)/python workflow/scripts/publish.py $(NAMED) $(NAME)
named:    # before an environment is made
	@test -n "$(NAMED)" || { echo "name the preset: make publish PRESET=evening" >&2; exit 2; }

bundle: .venv/installed  ## writes semblance-PRESET.tar, this checkout with all corpora and encoders, for where there is no network
	$(BIN)/snakemake --cores $(CORES) --config preset=$(PRESET) $(CONFIG) -- fetched
	git ls-files > .bundle
	tar cf semblance-$(PRESET).tar -T .bundle results/$(PRESET)/data results/$(PRESET)/encoders .snakemake/metadata
	@rm .bundle
	@echo "The bundle: semblance-$(PRESET).tar"

bench: .venv/installed  ## measures this machine's speed beside sentence-transformers; DEVICE=cuda: its GPU's, without a network
	@case "$(DEVICE)" in ""|cpu|cuda) ;; *) echo "make bench: DEVICE is cpu or cuda, not $(DEVICE)" >&2; exit 2;; esac
	$(BIN)/snakemake --cores $(CORES) --quiet rules --config preset=$(MEASURED) $(CONFIG) -- to_measure
	$(BIN)/python benchmarks/bench.py results/$(MEASURED) $(BENCH)
MEASURED = $(if $(filter cuda,$(DEVICE)),demo,$(PRESET))
BENCH = $(DEVICE:%=--device %) $(if $(filter cuda,$(DEVICE)),--random-base --pairs 4800 --repeats 5)

lint: .venv/installed  ## runs ruff, snakefmt and snakemake's own linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

.venv/installed: requirements.in requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "semblance needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -r requirements.in -c requirements.lock
	@touch $@

docs: .venv/installed  ## builds the documentation as a site, in site/
	$(BIN)/pip install --quiet -r requirements-docs.txt -c requirements.lock
	PYTHONPATH=workflow/scripts $(BIN)/mkdocs build

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/'
	@echo 'Variables: PRESET, CONFIG (settings, as after --config), CORES, NAME (of publish), DEVICE (of bench), PYTHON.'

.PHONY: demo check test test-all docs encoders verify publish bundle bench lint help named
