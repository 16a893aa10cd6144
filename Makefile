# Lectern. `make run` and `make test` are all a newcomer needs; `make help` shows the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
PROTOS := $(shell find proto -name '*.proto')
GOOGLEAPIS = $(shell $(BIN)/python -c 'import google.api; print(list(google.api.__path__)[0].removesuffix("/google/api"))')
PROTOC = $(BIN)/python -m grpc_tools.protoc -Iproto -I$(GOOGLEAPIS)
BUILD := .build

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(VENV)/.runtime: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	@$(PIP) --require-hashes -r requirements-bench.lock
	@touch $@

.PHONY: run
run: $(VENV)/.runtime ## Install what is needed and start Lectern
	@deploy/first-run.sh
	@exec $(BIN)/lectern serve

.PHONY: test
test: $(VENV)/.dev test-programs check ## Install what the tests need, check, and run all of them
	@find tests/ui -name '*.test.js' -not -path '*/node_modules/*' -print0 | xargs -0r node --test
	@$(BIN)/python tests/suite.py $(PYTEST_ARGS)

.PHONY: test-programs
test-programs: # A browser, and node for the tests of the browser's modules
	@deploy/test-programs.sh

.PHONY: bench
bench: $(VENV)/.bench test-programs ## Measure what the design sets bars for: PART="start playback workers pdf alignment" SEED=1
	@deploy/bench-programs.sh
	@PYTHONPATH=.:gen:tests $(BIN)/python -m bench $(PART) $(if $(SEED),--seed $(SEED))

.PHONY: soak
soak: $(VENV)/.dev test-programs ## Kill and pause parts at random for a while: MINUTES=10 SEED=1
	@PYTHONPATH=.:gen:tests $(BIN)/python -m faults --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

.PHONY: check
check: $(VENV)/.dev check-generated check-proto check-ui ## Lint, types, import rules, contracts, generated files
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(BUILD)/imports.txt || { cat $(BUILD)/imports.txt; exit 1; }

.PHONY: check-ui
check-ui: tests/ui/node_modules/.package-lock.json
	@tests/ui/node_modules/.bin/tsc --project tests/ui/tsconfig.json

tests/ui/node_modules/.package-lock.json: tests/ui/package-lock.json
	@npm ci --prefix tests/ui --silent --no-audit --no-fund

.PHONY: check-proto
check-proto: $(BUILD)/lectern.binpb
	@$(BIN)/buf lint $< --config buf.yaml
	@$(BIN)/buf breaking $< --against proto/released.binpb --config buf.yaml

.PHONY: check-generated
check-generated: $(VENV)/.dev
	@rm -rf $(BUILD)/gen
	@$(MAKE) --no-print-directory generate-into TARGET=$(BUILD)/gen
	@diff -r -x __pycache__ $(BUILD)/gen/lectern gen/lectern || { echo 'gen/ is not what proto/ says: run make proto'; exit 1; }
	@$(BIN)/lectern env --format markdown | diff - docs/configuration.md \
	    || { echo 'docs/configuration.md is not what is declared: run make docs'; exit 1; }
	@$(BIN)/lectern problems | diff - docs/problems.md \
	    || { echo 'docs/problems.md is not what the code raises: run make docs'; exit 1; }
	@$(BIN)/lectern env --format dotenv | diff - deploy/.env.example \
	    || { echo 'deploy/.env.example is not what is declared: run make docs'; exit 1; }

$(BUILD)/lectern.binpb: $(PROTOS) $(VENV)/.dev
	@mkdir -p $(@D)
	@$(PROTOC) --include_imports --include_source_info --descriptor_set_out=$@ $(PROTOS)

.PHONY: proto
proto: $(VENV)/.dev ## Regenerate gen/ from proto/
	@rm -rf gen/lectern
	@$(MAKE) --no-print-directory generate-into TARGET=gen

.PHONY: generate-into
generate-into:
	@mkdir -p $(TARGET)
	@$(PROTOC) \
	    --plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
	    --python_out=$(TARGET) --grpc_python_out=$(TARGET) --mypy_out=quiet:$(TARGET) --mypy_grpc_out=quiet:$(TARGET) \
	    $(PROTOS)
	@find $(TARGET)/lectern -type d -exec touch {}/__init__.py \;

.PHONY: proto-release
proto-release: $(VENV)/.dev ## Keep the present contracts as those of a release, for the check of breaking changes
	@$(PROTOC) --include_imports --descriptor_set_out=proto/released.binpb $(PROTOS)

.PHONY: docs
docs: $(VENV)/.runtime ## Write the documents that are made from the code
	@$(BIN)/lectern env --format markdown >docs/configuration.md
	@$(BIN)/lectern problems >docs/problems.md
	@$(BIN)/lectern env --format dotenv >deploy/.env.example

.PHONY: lock
lock: ## Pin the newest fitting dependencies
	@$(PIP) uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --group build pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --group baselines -c requirements-dev.lock pyproject.toml -o requirements-bench.lock
