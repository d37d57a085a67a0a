# Two commands for a fresh machine: `make demo` and `make test`. Both make their own environment first.
PYTHON ?= python3
CORES ?= all
PRESET ?= laptop
CONFIG ?=
NAME =
BIN = .venv/bin

demo: .venv/installed  ## everything the demo preset declares, to results/demo/report.html, its key scores checked
	$(BIN)/snakemake --cores $(CORES) --config preset=demo $(CONFIG)
	@echo "The report: results/demo/report.html"
	$(BIN)/python workflow/scripts/verify.py demo

check: lint  ## in a minute: linters, types, and the quick tests that need no torch
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --quiet -m "not slow" tests/check

test: .venv/installed  ## in five minutes: all unit tests, and the tiny workflow from end to end
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile $(QUICK)
QUICK = tests/check tests/unit tests/workflow/test_tiny.py tests/workflow/test_how_to.py

test-all: .venv/installed  ## everything, half an hour: kills, SLURM, edits, benchmarks; some tests wait for a queue
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

ENCODERS = bert roberta albert sbert paraphrase-minilm
encoders: .venv/installed  ## rebuilds the tiny encoders of resources/encoders, minutes each
	$(BIN)/snakemake --cores $(CORES) --config preset=demo encoder_source=generated -- $(ENCODERS:%=results/demo/encoders/%/facts.json)
	$(BIN)/python workflow/scripts/ship_encoders.py results/demo $(ENCODERS)

verify: .venv/installed  ## the key scores of the finished results of a preset, compared with the expected ones
	$(BIN)/python workflow/scripts/verify.py $(PRESET)

publish: .venv/installed  ## docs/results/PRESET (or NAME) from the finished results of a preset, at the current commit
	$(BIN)/python workflow/scripts/publish.py $(PRESET) $(NAME)

bundle: .venv/installed  ## semblance-PRESET.tar: this checkout with all corpora and encoders, for where there is no network
	$(BIN)/snakemake --cores $(CORES) --config preset=$(PRESET) $(CONFIG) -- fetched
	git ls-files > .bundle
	tar cf semblance-$(PRESET).tar -T .bundle results/$(PRESET)/data results/$(PRESET)/encoders .snakemake/metadata
	@rm .bundle
	@echo "The bundle: semblance-$(PRESET).tar"

bench: .venv/installed  ## how fast this machine is, beside sentence-transformers; DEVICE=cuda: how fast its GPU is, without a network
	@case "$(DEVICE)" in ""|cpu|cuda) ;; *) echo "make bench: DEVICE is cpu or cuda, not $(DEVICE)" >&2; exit 2;; esac
	$(BIN)/snakemake --cores $(CORES) --quiet rules --config preset=$(MEASURED) $(CONFIG) -- to_measure
	$(BIN)/python benchmarks/bench.py results/$(MEASURED) $(BENCH)
MEASURED = $(if $(filter cuda,$(DEVICE)),demo,$(PRESET))
BENCH = $(DEVICE:%=--device %) $(if $(filter cuda,$(DEVICE)),--random-base --pairs 4800 --repeats 5)

lint: .venv/installed  ## ruff, snakefmt and snakemake's own linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

.venv/installed: requirements.in requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "semblance needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -r requirements.in -c requirements.lock
	@touch $@

docs: .venv/installed  ## the documentation as a site, in site/
	$(BIN)/pip install --quiet -r requirements-docs.txt -c requirements.lock
	PYTHONPATH=workflow/scripts $(BIN)/mkdocs build

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/'

.PHONY: demo check test test-all docs encoders verify publish bundle bench lint help
