# make help names the targets. Nothing outside this folder is touched, save that `make test` as root on Debian
# installs the broker and database its tests talk to, and whatever needs a virtual environment python3-venv, each only
# where missing.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: bench help setup rollback wheels deb campaign-deb setup-dev lock demo test quick money lint servers clean campaign-link campaign-meters campaign-mystery campaign-oracle campaign-truth campaign-kill campaign-awaits campaign-lines campaign-io campaign-interrupted campaign-set-back campaign-upgrade campaign-flips campaign-power campaign-broker campaign-shoe campaign-secrecy campaign-offences campaign-corrections campaign-flood campaign-habits campaign-hostile campaign-mutation campaign-edge campaign-table-pc campaign-books campaign-independent campaign-collect campaign-connections

BIN := .venv/bin
READY := .venv/.ready
WHEELS := build/wheels
EXTRAS = $(WITH)

# Debian keeps the broker where only root looks.
export PATH := $(PATH):/usr/sbin

option = $(if $($(1)),--$(2) '$($(1))')
DEMO := $(call option,ROUNDS,rounds) $(call option,SEED,seed) $(call option,SPEED,speed)
DEMO += $(if $(JACKPOTS)$(LINK),--jackpots) $(if $(LINK),--link) $(if $(SENSORS),--sensors) $(call option,BOXES,boxes) $(call option,KEYPAD,keypad) $(call option,SHOE,shoe) $(call option,BROKER,broker)
DEMO += $(call option,PROFILE,profile) $(call option,WEB,web)

# What pays is held to 100 % of its branches by tests that leave nothing to chance and need no shared folder.
MONEY_ELSEWHERE := truth properties floor_properties secrecy hole_card census campaign_truth protection payments shoe damaged_bytes undo second_person advice
MONEY_TESTS := tests/progressive tests/rules \
  $(filter-out $(MONEY_ELSEWHERE:%=tests/core/test_%.py),$(wildcard tests/core/test_*.py))
MONEY = nice -n 5 $(BIN)/coverage run -m pytest -m 'not counting and not hypothesis and not shared' $(MONEY_TESTS) && \
  $(BIN)/coverage report

# One process a core, a file of tests in one of them.
SIDE_BY_SIDE := -n $(shell nproc) --dist loadfile

# Beside the other tests, of which many wait. What it says is shown when it has failed, or at the end.
EVERY_TEST = mkdir -p build; { $(MONEY); } >build/money.txt 2>&1 & money=$$!; trap 'kill $$money' INT TERM; \
  $(BIN)/pytest -ra $(SIDE_BY_SIDE) --money-apart '$(MONEY_TESTS)'; status=$$?; wait $$money || { status=1; cat build/money.txt; }; tail -n 3 build/money.txt; exit $$status

help:
	@echo 'make setup   the program as a table PC runs it, in releases/, with current as its name; WITH="report link-postgresql collect parquet metrics screen web" adds these extras to those that current has, WITHOUT= leaves some of them out'
	@echo 'make rollback  current is the release before again'
	@echo 'make wheels  what make setup installs as one folder, build/wheels, for a table PC without a network; MACHINE=aarch64 FOR=3.13 WITH= may be given'
	@echo 'make deb     a Debian package of the same, in build; WITH= REVISION= may be given'
	@echo 'make setup-dev  a virtual environment in .venv, with everything the targets below need; they make it themselves'
	@echo 'make lock    requirements/*.lock anew from pyproject.toml; UPGRADE=1 takes the newest of everything'
	@echo 'make demo    a table of simulated devices and people; ROUNDS= SEED= SPEED= BOXES= KEYPAD= SHOE= PROFILE= JACKPOTS= SENSORS= LINK= BROKER= WEB= may be given'
	@echo 'make test    lint, then every test; TESTS=tests/house runs some of them'
	@echo 'make quick   the tests of rules and formats, for a small change: about a minute'
	@echo 'make money   every branch of the code that pays is run by its tests, or it says which is not; part of make test'
	@echo 'make lint    ruff, mypy --strict, import contracts'
	@echo 'make campaign-link  link, tables and PostgreSQL killed at random 500 times (half an hour); KILLS= SEED= JOBS= FILE= may be given'
	@echo 'make campaign-meters  ten million random wagers on one meter (minutes); WAGERS= SEED= may be given'
	@echo 'make campaign-mystery  100,000 mystery cycles, noise through the health tests, timing, searches for the trigger (three quarters of an hour)'
	@echo 'make campaign-mutation  what pays, changed a word at a time: each change must make a test fail (half an hour); docs/internals/mutation.md'
	@echo 'make campaign-edge    every shipped edge of the main wager anew, and against an analyser in C (minutes); DEALS= SEED= may be given'
	@echo 'make campaign-offences  planted offences, found and findable, and false alarms; N= of each kind, CLEAN= SEED= may be given'
	@echo 'make campaign-corrections  nights of corrections, rulings and voids, also at full tables with meters and lost readers, and the laws they obey (an hour); NIGHTS= SEED= may be given'
	@echo 'make campaign-books   two gaming days of rounds, irregularities and corrections: every figure of the books against a second account (minutes); ROUNDS= SEED= may be given'
	@echo 'make campaign-oracle  small random rounds read by the table and by brute force; N= SEED= may be given'
	@echo 'make campaign-habits  honest people at unkind tables: keys pressed, forgotten or never pressed, antennas that overhear; ROUNDS= SEED= JOBS= FILE= may be given'
	@echo 'make campaign-independent  a table of other people, devices and arithmetic before the real daemon, in real time (100 rounds: minutes); ROUNDS= HABIT= PROFILE= TABLES= PACE= SEED= may be given'
	@echo 'make campaign-truth  rounds of simulated people against their truth; ROUNDS= SEED= SHOE= JOBS= FILE= may be given'
	@echo 'make bench   the figures of speed, each to its floor or peer beside it, and to the last ones kept (half an hour)'
	@echo 'make campaign-kill    the daemon killed while people play (an hour); KILLS= SEED= JOBS= FILE= may be given'
	@echo 'make campaign-awaits  every exception at every await of a running table (half an hour); COUNT= SEED= may be given'
	@echo 'make campaign-lines   lines that hang half open or babble while people play (half an hour); COUNT= SEED= FILE= may be given'
	@echo 'make campaign-io      every write, sync and opening of a journal fails in its turn (half an hour)'
	@echo 'make campaign-interrupted  backups and restores killed at every call, looks that are starved, a disk that hangs (minutes); SEED= may be given'
	@echo 'make campaign-set-back  older journals put back at a table of a linked pool (minutes); COUNT= SEED= may be given'
	@echo 'make campaign-upgrade FROM=COMMIT  tables go from an earlier program of this history to this one and back, between two rounds (minutes); COUNT= SEED= may be given'
	@echo 'make campaign-flips   bits flipped in everything a start reads (minutes); FLIPS= SEED= JOBS= FILE= may be given'
	@echo 'make campaign-power   the power cut at any instant, with a disk that keeps no order (half an hour); CUTS= SEED= JOBS= FILE= may be given'
	@echo 'make campaign-shoe    two shoes in C exchanged, unplugged, killed, their memories failing, and bet sensors and a trigger box in C, before their sessions (minutes); HAPPENINGS= SEED= may be given'
	@echo 'make campaign-secrecy random rounds, irregular deals, orders and keys: nothing depends on the hole card before its turn, on a burned card, or on what a trigger box drew (hours); N= SEED= may be given'
	@echo 'make campaign-table-pc  Debian 12 booted in qemu, installed by the pages, and what befalls such a machine (half an hour, and CUTS= power cuts more; as root, with qemu-system-x86, nbdkit-plugin-python and debootstrap); FOLDER= HAPPENINGS=kill,cables,... ROUNDS= CUTS= SEED= may be given'
	@echo 'make campaign-collect  recorded nights of many tables and a few live ones into one PostgreSQL, broker, server and collector killed meanwhile (minutes); TABLES= LIVE= PACE= NIGHTS= KILLS= SEED= may be given'
	@echo 'make campaign-connections  Home Assistant, Node-RED, Prometheus and the dashboard of Grafana, the real ones where they can be installed, at a table that plays (minutes); PROGRAMS=node-red may be given'
	@echo 'make campaign-deb  the package installed in a clean Debian, upgraded over a running table, removed and purged (minutes; as root, with debootstrap); ROOT= may be given'
	@echo 'make campaign-broker  a day without a broker, in virtual time (minutes); HOURS= may be given'
	@echo 'make campaign-flood   thousands of commands a second while people play, over MQTT and the operator channel; PER_SECOND= SECONDS= may be given'
	@echo 'make campaign-hostile a million hostile requests to every program and role while people play; N= SEED= may be given'
	@echo 'make clean   everything made here, the virtual environment too; what make setup installed stays'

# What is installed already goes on being there after an upgrade.
setup: EXTRAS = $(filter-out $(WITHOUT),$(sort $(WITH) $(shell . install/python.sh && extras_of current)))
setup: wheels
	WITHOUT='$(WITHOUT)' $(WHEELS)/install .

rollback:
	install/release --back .

wheels:
	install/wheels $(WHEELS) $(EXTRAS)

deb: wheels
	install/deb $(WHEELS) build

setup-dev: $(READY)

lock: setup-dev
	$(BIN)/python -m pip install -q --disable-pip-version-check 'uv>=0.9,<1'
	install/lock $(abspath $(BIN))/uv

$(READY): pyproject.toml requirements/dev.lock .ci/setup install/python.sh
	.ci/setup
	@touch $@

demo: setup-dev
	$(BIN)/tableside demo $(strip $(DEMO))

test: lint servers
	$(if $(TESTS),$(BIN)/pytest -ra $(TESTS),$(EVERY_TEST))

quick: setup-dev
	$(BIN)/pytest -q -n 2 tests/rules tests/formats

money: setup-dev
	$(MONEY)

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

campaign-link: setup-dev servers
	$(BIN)/python -m tests.link.killing $(call option,KILLS,kills) $(call option,SEED,seed) $(call option,JOBS,jobs) \
		$(call option,FILE,file)

campaign-meters: setup-dev
	$(BIN)/python -m bench.meters $(call option,WAGERS,wagers) $(call option,SEED,seed)

campaign-mystery: setup-dev
	$(BIN)/python -m bench.mystery cycles
	$(BIN)/python -m bench.mystery noise
	$(BIN)/python -m bench.mystery timing
	$(BIN)/python -m bench.mystery canary
	$(BIN)/python -m bench.mystery_table
campaign-offences: setup-dev
	nice -n 10 $(BIN)/python -m bench.offences --count $(or $(N),1000) --clean $(or $(CLEAN),10000) --seed $(or $(SEED),1)

campaign-mutation: setup-dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[mutation]'
	rm -rf mutants
	nice -n 10 $(BIN)/python -m mutmut run
	$(BIN)/python -m mutmut results

campaign-corrections: setup-dev
	nice -n 10 $(BIN)/python -m tests.core.nights $(or $(SEED),0) $(or $(NIGHTS),5000)
	nice -n 10 $(BIN)/python -m tests.core.full_nights $(or $(SEED),0) $(or $(NIGHTS),2500)

campaign-edge: setup-dev
	nice -n 10 $(BIN)/python -m tests.edge.campaign $(call option,DEALS,deals) $(call option,SEED,seed)

campaign-books: setup-dev
	nice -n 10 $(BIN)/python -m tests.commands.auditing $(call option,ROUNDS,rounds) $(call option,SEED,seed)

campaign-oracle: setup-dev
	$(BIN)/python -m tests.oracle.compare $(or $(SEED),0) $(or $(N),10000)

campaign-truth: setup-dev
	$(BIN)/python -m bench.campaign_truth $(call option,ROUNDS,rounds) $(call option,SEED,seed) $(call option,SHOE,shoe) \
		$(call option,JOBS,jobs) $(call option,FILE,file)

campaign-habits: setup-dev
	nice -n 10 $(BIN)/python -m bench.campaign_habits $(call option,ROUNDS,rounds) $(call option,SEED,seed) \
		$(call option,JOBS,jobs) $(call option,FILE,file)

campaign-independent: setup-dev servers
	nice -n 10 $(BIN)/python -m tests.independent.campaign $(call option,ROUNDS,rounds) $(call option,HABIT,habit) \
		$(call option,PROFILE,profile) $(call option,TABLES,tables) $(call option,PACE,pace) $(call option,SEED,seed)
	nice -n 10 $(BIN)/python -m tests.independent.fault_campaign $(call option,PROFILE,profile) $(call option,TABLES,tables) \
		$(call option,SEED,seed)

bench: setup-dev servers
	$(BIN)/python -m bench.speed

campaign-kill: setup-dev servers
	$(BIN)/python -m tests.campaigns.kill $(call option,KILLS,kills) $(call option,SEED,seed) $(call option,JOBS,jobs) $(call option,FILE,file)

campaign-awaits: setup-dev servers
	nice -n 5 $(BIN)/python -m tests.campaigns.awaits $(call option,COUNT,count) $(call option,SEED,seed)

campaign-lines: setup-dev servers
	$(BIN)/python -m tests.campaigns.lines $(call option,COUNT,count) $(call option,SEED,seed) $(call option,JOBS,jobs) $(call option,FILE,file)

campaign-io: setup-dev servers
	$(BIN)/python -m tests.campaigns.io

campaign-interrupted: setup-dev
	$(BIN)/python -m tests.campaigns.interrupted $(call option,SEED,seed)

campaign-set-back: setup-dev servers
	$(BIN)/python -m tests.campaigns.set_back $(call option,COUNT,count) $(call option,SEED,seed)

campaign-upgrade: setup-dev servers
	$(BIN)/python -m tests.campaigns.upgrade $(call option,FROM,from) $(call option,COUNT,count) $(call option,SEED,seed)

campaign-flips: setup-dev servers
	$(BIN)/python -m tests.campaigns.flips $(call option,FLIPS,flips) $(call option,SEED,seed) $(call option,JOBS,jobs) $(call option,FILE,file)

campaign-power: setup-dev servers
	$(BIN)/python -m tests.campaigns.power $(call option,CUTS,cuts) $(call option,SEED,seed) $(call option,JOBS,jobs) $(call option,FILE,file)

campaign-shoe: setup-dev servers
	nice -n 10 $(BIN)/python -m tests.firmware.campaign $(call option,HAPPENINGS,happenings) $(call option,SEED,seed)
	nice -n 10 $(BIN)/python -m tests.firmware.units $(call option,HAPPENINGS,happenings) $(call option,SEED,seed)

campaign-secrecy: setup-dev
	nice -n 10 $(BIN)/python -m tests.campaigns.secrecy --count $(or $(N),20000) --seed $(or $(SEED),1)

campaign-table-pc: setup-dev
	$(BIN)/python -m tests.table_pc.campaign $(call option,FOLDER,folder) $(call option,HAPPENINGS,happenings) $(call option,ROUNDS,rounds) $(call option,CUTS,cuts) $(call option,SEED,seed)

campaign-collect: setup-dev servers
	nice -n 5 $(BIN)/python -m tests.collector.campaign $(call option,TABLES,tables) $(call option,LIVE,live) $(call option,PACE,pace) \
		$(call option,NIGHTS,nights) $(call option,KILLS,kills) $(call option,SEED,seed)

campaign-connections: setup-dev servers
	nice -n 5 $(BIN)/python -m tests.connections.campaign $(PROGRAMS)

campaign-deb: setup-dev deb
	nice -n 10 $(BIN)/python -m tests.install.deb_campaign $(call option,ROOT,root)

campaign-broker: setup-dev servers
	$(BIN)/python -m tests.campaigns.outage $(call option,HOURS,hours)

campaign-flood: setup servers
	for way in qos0 qos1 socket; do \
	  $(BIN)/python -m tests.campaigns.flood --way $$way --per-second $(or $(PER_SECOND),5000) --seconds $(or $(SECONDS),10) || exit 1; \
	done

campaign-hostile: setup servers
	nice -n 10 $(BIN)/python -m tests.campaigns.hostile --requests $(or $(N),1000000) --seed $(or $(SEED),1)

servers:
	@.ci/servers

clean:
	rm -rf .coverage .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist demo-run mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
