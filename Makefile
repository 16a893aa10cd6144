# Lectern. `make run` and `make test` are all a newcomer needs; `make help` shows the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROTOS := $(shell find proto -name '*.proto')
GOOGLEAPIS = $(shell $(BIN)/python -c 'import google.api; print(list(google.api.__path__)[0].removesuffix("/google/api"))')

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(VENV)/.runtime: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

.PHONY: run
run: $(VENV)/.runtime ## Install what is needed and start Lectern
	@deploy/first-run.sh
	@$(BIN)/lectern serve

.PHONY: proto
proto: $(VENV)/.dev ## Regenerate gen/ from proto/
	@rm -rf gen/lectern && mkdir -p gen
	@$(BIN)/python -m grpc_tools.protoc -Iproto -I$(GOOGLEAPIS) \
	    --plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
	    --python_out=gen --grpc_python_out=gen --mypy_out=quiet:gen --mypy_grpc_out=quiet:gen $(PROTOS)
	@find gen/lectern -type d -exec touch {}/__init__.py \;

.PHONY: lock
lock: ## Pin the newest fitting dependencies
	@$(BIN)/pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --group build pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
