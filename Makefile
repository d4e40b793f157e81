# pgfit: classic machine learning in SQL.
#   make                    build                     make install        install into PG_CONFIG's server
#   make demo | make test   everything on a bare machine, with a private server
PG_CONFIG ?= pg_config
EXTENSION = pgfit
EXTVERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" pgfit.control)
MODULE_big = pgfit

CORE_SOURCES = $(sort $(wildcard src/core/*.c))
PG_SOURCES = $(sort $(wildcard src/pg/*.c))
OBJS = $(CORE_SOURCES:.c=.o) $(PG_SOURCES:.c=.o)
SQL_PARTS = $(sort $(wildcard src/sql/[0-9]*.sql))

DATA_built = pgfit--$(EXTVERSION).sql
DATA = $(wildcard src/sql/upgrade/pgfit--*--*.sql)
REGRESS = setup $(filter-out setup,$(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql))))
REGRESS_OPTS = --inputdir=. --load-extension=$(EXTENSION)
EXTRA_CLEAN = pgfit--$(EXTVERSION).sql

# OpenBLAS: a static serial copy with hidden symbols, so that a backend stays single-threaded whatever
# else is installed, and no other copy in the process can take its place (docs/internals.md).
OPENBLAS_STATIC ?= $(firstword $(wildcard /usr/lib/*/openblas-serial/libopenblas.a /usr/lib64/libopenblas.a /usr/lib/libopenblas.a))
ifeq ($(OPENBLAS_STATIC),)
ifeq ($(filter clean distclean demo test bench golden,$(MAKECMDGOALS)),)
$(warning no static serial OpenBLAS found: install libopenblas-serial-dev, or set OPENBLAS_STATIC=/path/libopenblas.a)
endif
endif
SHLIB_LINK += $(OPENBLAS_STATIC) -Wl,--exclude-libs,ALL -lm

# -ffp-contract=off: a stored model scores the same bits on every machine. Kernels of the fits that may
# contract set it back for themselves. WERROR=1 in CI.
OPTFLAGS ?=
PG_CPPFLAGS += -DPGFIT_VERSION='"$(EXTVERSION)"'
PG_CFLAGS = -std=gnu11 -O3 -ffp-contract=off -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-declaration-after-statement $(if $(WERROR),-Werror) $(OPTFLAGS)

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

pgfit--$(EXTVERSION).sql: $(SQL_PARTS)
	cat $^ > $@

$(OBJS): $(wildcard src/core/*.h src/pg/*.h src/core/*.def)
