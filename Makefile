# pgfit: classic machine learning in SQL.
#   make                    build                     make install        install into PG_CONFIG's server
#   make demo | make test   everything on a bare machine, with a private server
#   make help               what else there is
PG_CONFIG ?= pg_config
# pgfit_distributed: one form of each aggregate that merges for each type of arguments. Hundreds, so those who need them ask for them.
EXTENSION = pgfit pgfit_distributed
EXTVERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" pgfit.control)
MODULE_big = pgfit

CORE_SOURCES = $(sort $(wildcard src/core/*.c src/core/*/*.c))
PG_SOURCES = $(sort $(wildcard src/pg/*.c src/pg/*/*.c))
OBJS = $(CORE_SOURCES:.c=.o) $(PG_SOURCES:.c=.o)
GENERATED_SQL = src/sql/21-aggregates.sql src/sql/57-steps.sql src/sql/62-metrics.sql
SQL_PARTS = $(sort $(wildcard src/sql/[0-9]*.sql) $(GENERATED_SQL))

DATA_built = pgfit--$(EXTVERSION).sql pgfit_distributed--$(EXTVERSION).sql
DATA = $(wildcard src/sql/upgrade/pgfit--*--*.sql)
REGRESS = setup $(filter-out setup,$(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql))))
REGRESS_OPTS = --inputdir=. --load-extension=pgfit
EXTRA_CLEAN = $(OBJS:.o=.d) pgfit--*.sql pgfit_distributed--*.sql pgfit-*.zip $(GENERATED_SQL) build results regression.diffs regression.out tmp_check \
	$(wildcard test/*/__pycache__ bench/__pycache__ scripts/__pycache__)

# OpenBLAS: a static serial copy with hidden symbols, so that a backend stays single-threaded whatever
# else is installed, and no other copy in the process can take its place (docs/internals.md). Of its kernels, those
# of double precision alone: a library of 9 MB rather than 29.
OPENBLAS_STATIC ?= $(firstword $(wildcard /usr/lib/*/openblas-serial/libopenblas.a /usr/lib64/libopenblas.a /usr/lib/libopenblas.a))
DOUBLE_KERNELS = build/double_kernels.a
OPENBLAS = -Wl,--whole-archive $(DOUBLE_KERNELS) -Wl,--no-whole-archive $(OPENBLAS_STATIC)
SHLIB_LINK += $(OPENBLAS) -Wl,--exclude-libs,ALL -Wl,--wrap=malloc,--wrap=mmap,--wrap=blas_memory_alloc -lm

# -ffp-contract=off: a stored model scores the same bits on every machine. Loops of fits that may
# contract set it back for themselves. -fno-math-errno changes no bits: no code reads errno after a function of libm, and roots that
# need not set it take less time (silhouette three quarters). WERROR=1 in CI.
OPTFLAGS ?=
WARNINGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
	-Wno-declaration-after-statement $(if $(WERROR),-Werror)
PG_CPPFLAGS += -Isrc -DPGFIT_VERSION='"$(EXTVERSION)"' -MMD -MP
PG_CFLAGS = -std=gnu11 -O3 -ffp-contract=off -fno-math-errno -fvisibility=hidden $(WARNINGS) $(OPTFLAGS)

# No bitcode for the server's JIT: what it could inline is not worth a dependency on clang, and inlined
# code could not reach the library's hidden functions.
override with_llvm = no

# What is installed has no debugging information; it stays in what is built. make install INSTALL_STRIP_FLAG= keeps it.
INSTALL_STRIP_FLAG ?= -s

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)
else
.DEFAULT_GOAL = all
all install installcheck uninstall:
	@echo "PostgreSQL's files for building extensions were not found by PG_CONFIG=$(PG_CONFIG)." >&2
	@echo "Debian, Ubuntu: apt install postgresql-server-dev-all; or run make demo, which installs what it needs." >&2
	@exit 1
clean distclean:
	rm -rf $(OBJS) pgfit.so $(EXTRA_CLEAN)
endif

# ---- build ----

pgfit--$(EXTVERSION).sql: src/sql/sources.awk $(SQL_PARTS)
	awk -f $^ > $@.part && mv $@.part $@

pgfit_distributed--$(EXTVERSION).sql: src/sql/sql.awk src/sql/distributed.awk src/sql/aggregates.tsv src/sql/steps.tsv src/sql/metrics.tsv
	awk -f src/sql/sql.awk -f src/sql/distributed.awk src/sql/aggregates.tsv src/sql/steps.tsv src/sql/metrics.tsv > $@.part && mv $@.part $@

# Every form of the aggregates of a kind, from one table; descriptions of estimators are those of their descriptors.
src/sql/21-aggregates.sql: src/sql/aggregates.awk src/sql/aggregates.tsv $(CORE_SOURCES)
src/sql/57-steps.sql: src/sql/steps.awk src/sql/steps.tsv
src/sql/62-metrics.sql: src/sql/metrics.awk src/sql/metrics.tsv
$(GENERATED_SQL): src/sql/sql.awk
	awk -f src/sql/sql.awk -f $(filter-out src/sql/sql.awk,$(filter %.awk,$^)) $(filter %.c,$^) $(filter %.tsv,$^) > $@.part && mv $@.part $@

# Another server version or other flags: everything is compiled again. WERROR=1 changes no object, so it does not count.
BUILD_FLAGS = $(shell $(PG_CONFIG) --version --includedir-server 2>/dev/null) $(CC) $(PG_CPPFLAGS) $(filter-out -Werror,$(PG_CFLAGS)) $(OPENBLAS_STATIC)
build/flags: force
	@mkdir -p build
	@echo '$(subst ','\'',$(BUILD_FLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(BUILD_FLAGS))' > $@

$(OBJS): build/flags | $(DOUBLE_KERNELS)
-include $(OBJS:.o=.d)
pgfit.so: $(DOUBLE_KERNELS)

# Before anything is compiled: without OpenBLAS, a library would be linked all the same, and would not load.
$(DOUBLE_KERNELS): scripts/double-kernels build/flags $(or $(OPENBLAS_STATIC),libopenblas.a)
	CC="$(CC)" sh $< $(OPENBLAS_STATIC) $@
ifeq ($(wildcard $(OPENBLAS_STATIC)),)
$(or $(OPENBLAS_STATIC),libopenblas.a):
	@echo "pgfit: $(or $(OPENBLAS_STATIC:%=there is no %),no static serial OpenBLAS was found)." >&2
	@echo "Debian, Ubuntu: apt install libopenblas-serial-dev; elsewhere: make OPENBLAS_STATIC=/path/libopenblas.a" >&2
	@exit 1
endif

# ---- the core alone: unit tests and fuzzers ----

# One copy of the core for each kind of build, in build/KIND: an archive, of which a test links what it needs.
CORE_WARNINGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -Werror
ASAN_FLAGS = -std=gnu11 -MMD -MP -g -O1 -fno-omit-frame-pointer -ffp-contract=off -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(CORE_WARNINGS) -Isrc -Itest/core
CORE_TESTS = $(patsubst test/core/%.c,build/asan/%,$(sort $(wildcard test/core/test_*.c))) $(NARROW_TESTS)
CORE_HELPERS = $(filter-out $(wildcard test/core/test_*.c),$(wildcard test/core/*.c))
build/asan/core/%.o: src/core/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ASAN_FLAGS) -c $< -o $@
build/asan/helper/%.o: test/core/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ASAN_FLAGS) -c $< -o $@
build/asan/libcore.a: $(patsubst src/core/%.c,build/asan/core/%.o,$(CORE_SOURCES)) \
		$(patsubst test/core/%.c,build/asan/helper/%.o,$(CORE_HELPERS))
	@rm -f $@
	ar rcs $@ $^
build/asan/test_%: test/core/test_%.c build/asan/libcore.a | $(DOUBLE_KERNELS)
	$(CC) $(ASAN_FLAGS) -MF $@.d $< build/asan/libcore.a $(OPENBLAS) -lm -o $@

# Tests that run again with vectors of at most 128 and 256 bits, whatever this machine has (test/core/host.c).
NARROW = feature_map forest kmeans logistic_tile mixture nist qr_factor
NARROW_TESTS = $(foreach test,$(NARROW),build/asan/test_$(test)_128 build/asan/test_$(test)_256)
build/asan/test_%_128 build/asan/test_%_256: build/asan/test_%
	@ln -f $< build/asan/test_$*_128 && ln -f $< build/asan/test_$*_256

-include $(wildcard build/asan/*.d build/asan/*/*/*.d build/asan/core/*.d build/asan/core/*/*.d build/asan/helper/*.d)

corecheck: $(CORE_TESTS)
	@scripts/run-core-tests $(CORE_TESTS)

# The same without sanitizers, from the objects of the library, in one program that runs the test it is called by: OpenBLAS
# takes longer to link than most tests to run. make test has these, make check-all the others.
FAST_FLAGS = -std=gnu11 -MMD -MP -g -O1 -ffp-contract=off $(CORE_WARNINGS) -Wno-maybe-uninitialized -Isrc -Itest/core
FAST_TESTS = $(patsubst test/core/%.c,build/fast/%,$(sort $(wildcard test/core/test_*.c)))
build/fast/%.o: test/core/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FAST_FLAGS) $(if $(filter test_%,$*),-Dmain=main_of_$*) -c $< -o $@
	$(if $(filter test_%,$*),objcopy --keep-global-symbol=main_of_$* $@)
build/fast/tests.c: Makefile $(wildcard test/core/test_*.c)
	@mkdir -p $(@D)
	scripts/core-tests-main $(notdir $(FAST_TESTS)) > $@
build/fast/tests: build/fast/tests.c $(FAST_TESTS:=.o) $(patsubst test/core/%.c,build/fast/%.o,$(CORE_HELPERS)) $(CORE_SOURCES:.c=.o) | $(DOUBLE_KERNELS)
	$(CC) $(FAST_FLAGS) $^ $(OPENBLAS) -lm -o $@
$(FAST_TESTS): build/fast/tests
	@ln -f $< $@
-include $(wildcard build/fast/*.d)

corecheck-fast: $(FAST_TESTS)
	@scripts/run-core-tests $(FAST_TESTS)

# Programs of bench/ that measure the core alone, with the library's own objects: nanoseconds per row, instructions of hot paths.
build/bench/%: bench/%.c test/core/host.c test/core/fit.c $(CORE_SOURCES:.c=.o) | $(DOUBLE_KERNELS)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -g -O3 -ffp-contract=off $(CORE_WARNINGS) -Isrc -Itest/core $^ $(OPENBLAS) -lm -o $@
instructions: build/bench/instructions
	@bench/instructions $< $(PATHS)

# test/fuzz/fuzz_NAME.c: with libFuzzer where FUZZ_CC has it, else seeds and mutations under gcc's sanitizers
FUZZ_CC ?= clang
FUZZ_RUNS ?= 20000
fuzzcheck:
	@FUZZ_CC="$(FUZZ_CC)" OPENBLAS_STATIC="$(OPENBLAS_STATIC)" test/fuzz/run.sh $(FUZZ_RUNS)
fuzzcoverage:
	@OPENBLAS_STATIC="$(OPENBLAS_STATIC)" test/fuzz/coverage.sh

# Changes of the core that a test should notice (test/mutation/README.md), with the objects and flags of the library.
mutation: export MUTATION_COMPILE = $(CC) $(CFLAGS) $(CFLAGS_SL) $(filter-out -MMD -MP,$(CPPFLAGS))
mutation: export MUTATION_LINK_TESTS = $(CC) $(if $(shell command -v ld.gold),-fuse-ld=gold) -Wl,-s
mutation: export MUTATION_SANITIZED = $(CC) $(filter-out -MMD -MP -Werror,$(ASAN_FLAGS))
mutation: export MUTATION_LIBRARIES = $(OPENBLAS) -lm
mutation: export MUTATION_LINK_LIBRARY = $(CC) $(if $(shell command -v ld.gold),-fuse-ld=gold) -shared -Wl,-s $(LDFLAGS) $(LDFLAGS_SL)
mutation: export MUTATION_LIBRARIES_SL = $(SHLIB_LINK)
build/asan/tests/%.o: test/core/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ASAN_FLAGS) -Dmain=main_of_$* -c $< -o $@
	objcopy --keep-global-symbol=main_of_$* $@
mutation: all build/fast/tests build/asan/libcore.a $(patsubst test/core/%.c,build/asan/tests/%.o,$(wildcard test/core/test_*.c))
	@test/mutation/run.sh $(MUTATION)

# Lines, branches and MC/DC of rooms of the core (test/coverage.sh): objects that count what runs, in build/coverage.
COVERAGE_CC ?= clang-19
COVERAGE_FLAGS = -std=gnu11 -MMD -MP -O1 -fPIC -fvisibility=hidden -ffp-contract=off -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -w -Isrc
build/coverage/%.o: src/core/%.c Makefile
	@mkdir -p $(@D)
	$(COVERAGE_CC) $(COVERAGE_FLAGS) -c $< -o $@
-include $(wildcard build/coverage/*.d build/coverage/*/*.d)
coverage: export COVERAGE_LIBRARIES = $(OPENBLAS)
coverage: export COVERAGE_LIBRARIES_SL = $(SHLIB_LINK)
coverage: all
	@COVERAGE_CC="$(COVERAGE_CC)" test/coverage.sh $(COVERAGE)

# ---- checks ----

lint: all
	@scripts/lint

# pgTAP files test/*.sql against a running server (PGHOST, PGPORT, PGUSER, ...)
tapcheck:
	@scripts/run-pgtap test/*.sql

# ---- on a bare machine: packages, build, private server; each script says what it does ----

help:
	@sed -n 's/^#   //p;/^$$/q' Makefile
	@echo "With a private server, gone afterwards (each installs what it needs, with apt, where that is missing):"
	@echo "  make demo                            the tour of examples/demo.sql"
	@echo "  make psql [PSQL='-c ...']            psql with pgfit and the example tables"
	@echo "  make regress [TEST='a b'] [ACCEPT=1] regression tests of sql/; ACCEPT: results become expected/"
	@echo "  make test [TEST='tap.linear server.dump'] what each change should pass, in minutes; or some of it (scripts/test.sh)"
	@echo "  make check-all                       the rest: sanitizers, fuzzers, long tests of servers"
	@echo "  make golden [GOLDEN=folder]          golden cases        make docscheck   the examples of docs/"
	@echo "  make bench [BENCH=name]              measurements        make reference   writes docs/reference, Python classes"
	@echo "  make tested                          the regression tests, and the line of this server in docs/install.md"
	@echo "  make relations [RELATIONS='--tables 9'] relations between fits to random tables   make certificates   optima of random problems"
	@echo "  make mutation [MUTATION='--mutants 100 --seed 3'] changes of the core that a test should notice"
	@echo "  make coverage [COVERAGE='--stages unit,regress'] lines, branches and MC/DC of the core"
	@echo "  make torture [TORTURE='--minutes 9'] random SQL under sanitizers   make asan-check, valgrind-check"
	@echo "  make random [RANDOM='--statements 9999'] [BUILD=assert] random SQL, a thousand statements a second"
	@echo "Without a server:"
	@echo "  make corecheck | fuzzcheck           unit tests of the core, fuzzers of its readers"
	@echo "  make instructions [ACCEPT=1]         counts instructions of hot paths, and names those that grew"
	@echo "  make lint                            the rules of the sources, after make"
	@echo "  make site                            the manual as static pages in build/site"
	@echo "  make deb | dist                      Debian packages in build/deb; a zip of the last commit for PGXN"
	@echo "On the server that PGHOST etc. name: make installcheck, make tapcheck"

demo:
	@scripts/demo.sh
psql:
	@scripts/psql.sh $(PSQL)
regress:
	@ACCEPT=$(ACCEPT) scripts/regress.sh $(TEST)
test:
	@scripts/test.sh $(or $(TEST),test)
check-all:
	@scripts/test.sh check-all
bench:
	@scripts/bench.sh $(BENCH)
golden:
	@scripts/golden.sh $(GOLDEN)
docscheck:
	@scripts/docs.sh
asan-check:
	@scripts/asan.sh
valgrind-check:
	@scripts/valgrind.sh
torture:
	@scripts/torture.sh $(TORTURE)
random: # RANDOM in the environment is a number of the shell's
	@scripts/random.sh $(if $(filter command line,$(origin RANDOM)),$(RANDOM))
relations certificates:
	@scripts/random-checks.sh $@ $(RELATIONS) $(CERTIFICATES)
reference:
	@scripts/reference.sh
site:
	@scripts/site.sh
tested:
	@scripts/tested.sh
setup:
	@scripts/setup.sh

print-regress:
	@echo $(REGRESS)

dist:
	git archive --format=zip --prefix=pgfit-$(EXTVERSION)/ -o pgfit-$(EXTVERSION).zip HEAD
deb:
	@scripts/deb.sh

force:
.PHONY: force help psql regress corecheck corecheck-fast instructions fuzzcheck fuzzcoverage lint tapcheck demo test check-all bench golden docscheck asan-check valgrind-check \
	torture random relations certificates mutation coverage reference site tested setup dist deb print-regress
