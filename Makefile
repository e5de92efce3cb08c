# The verbs of the project. `make run` shows it, `make test` proves it.

CARGO ?= cargo
# The quick build of `make run` and `make test`, and the fast one of `make build`.
QUICK_MENDEL := target/debug/mendel
MENDEL := target/release/mendel
PACKAGE_DIR := target/package
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
PACKAGE := mendel-$(VERSION)-x86_64-linux

# A fresh build is quicker without the records of incremental compilation.
export CARGO_INCREMENTAL ?= 0

.PHONY: run build quick-build test test-busy lint needs test-needs doc signature record-signature first-steps bench package \
	train-setup train test-train test-train-if-there

# The main job: an evaluation bred from random genes, proved in a match against its
# parent, and a page about it. The run is kept with the others, see `mendel runs`.
run: quick-build
	$(QUICK_MENDEL) breed first-steps

quick-build: needs
	$(CARGO) build --locked

# The program for play, matches and long experiments. Its link takes minutes.
build: needs
	$(CARGO) build --release --locked

# Everything that must hold, in the order of cost.
test: test-needs lint
	$(CARGO) test --workspace --locked
	$(MAKE) doc signature first-steps test-train-if-there

# All tests RUNS times beside two busy loops: none may depend on a quick machine. It takes
# about an hour.
RUNS := 10
test-busy: test-needs
	CARGO="$(CARGO)" tools/test_busy.sh $(RUNS)

# The first experiment, bred to its end.
first-steps: quick-build
	rm -rf target/first-steps
	MENDEL_HOME=target/first-steps $(QUICK_MENDEL) breed first-steps --out target/first-steps/run --quiet

lint: needs
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	tools/check_files.sh
	tools/check_needs.sh

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# The nodes of the bench are the signature: they change only when play changes.
signature: quick-build
	tools/check_signature.sh $(QUICK_MENDEL)

# After a change of play that was meant: record the new signature and commit it.
record-signature: quick-build
	$(QUICK_MENDEL) bench | tail -n 1 | cut -d ' ' -f 1 > signature.txt
	cat signature.txt

# Speed: the search, the runner's own cost, how much of a game is search; then whole
# runs against their bounds, judging against asking the evaluator for each position,
# and breeding against DEAP and numpy (which go into a folder under target/).
bench: build
	$(MENDEL) bench
	$(CARGO) bench -p mendel-arena --locked
	tools/breeding_speed.py --mendel $(MENDEL)
	$(CARGO) bench -p mendel-fitness --locked
	tools/deap_ratio.py --mendel $(MENDEL)

# Training networks needs libtorch, which comes with the Python package torch (4.8 GB);
# nothing else does, so it is neither in `build` nor in `needs`.
TRAIN_VENV := .venv-train
# Written last, so that half an environment is none.
TRAIN_READY := $(TRAIN_VENV)/ready
TRAIN_DIR := target/train
TRAIN_ENV = PATH="$(CURDIR)/$(TRAIN_VENV)/bin:$$PATH" LIBTORCH_USE_PYTORCH=1
# The same packages every time, or the framework's binding is compiled once more.
TRAIN_FLAGS := --locked --target-dir $(TRAIN_DIR) -p mendel-nets -p mendel-cli \
	--features mendel-nets/train,mendel-cli/train

train-setup:
	python3 -m venv $(TRAIN_VENV)
	$(TRAIN_VENV)/bin/pip install --quiet torch==2.11.0 numpy setuptools
	touch $(TRAIN_READY)

# The program with `mendel train`.
train: needs
	@test -f $(TRAIN_READY) || { echo "error: there is no $(TRAIN_VENV); run \`make train-setup\` first" >&2; exit 1; }
	$(TRAIN_ENV) $(CARGO) build --release $(TRAIN_FLAGS)
	@echo $(TRAIN_DIR)/release/mendel

# A small network learns, goes on after a kill to the bit, is written, and the engine
# answers what the framework does.
test-train: test-needs
	@test -f $(TRAIN_READY) || { echo "error: there is no $(TRAIN_VENV); run \`make train-setup\` first" >&2; exit 1; }
	$(TRAIN_ENV) $(CARGO) clippy $(TRAIN_FLAGS) --all-targets -- -D warnings
	$(TRAIN_ENV) $(CARGO) test $(TRAIN_FLAGS) train

test-train-if-there:
	@if test -f $(TRAIN_READY); then \
		$(MAKE) test-train; \
	else \
		echo "the training of networks was not tested: there is no $(TRAIN_VENV) (\`make train-setup\`, 4.8 GB)"; \
	fi

# A program for processors in general; `build` makes one for this machine.
package: needs
	RUSTFLAGS="-C target-cpu=x86-64-v2" $(CARGO) build --release --locked --target-dir $(PACKAGE_DIR)
	mkdir -p $(PACKAGE_DIR)/$(PACKAGE)
	cp $(PACKAGE_DIR)/release/mendel README.md CHANGELOG.md LICENSE $(PACKAGE_DIR)/$(PACKAGE)/
	tar -C $(PACKAGE_DIR) -czf $(PACKAGE_DIR)/$(PACKAGE).tar.gz $(PACKAGE)
	@echo $(PACKAGE_DIR)/$(PACKAGE).tar.gz

# What building and running need, and what testing needs beyond that; installed where that
# is allowed.
needs:
	@tools/install_needs.sh run

test-needs:
	@tools/install_needs.sh test
