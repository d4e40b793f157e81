#!/bin/bash
# sql/odd_options.sql with more fits: there is no finding.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_odd_options || exit 1
psql -X -q -f "$repo/sql/setup.sql" >/dev/null 2>&1
is "$(PGOPTIONS="-c odd.walks=${ODD_WALKS:-60}" psql -X -q -A -t -f "$repo/sql/odd_options.sql" 2>&1)" 't|' 'random options of every estimator on odd tables'
