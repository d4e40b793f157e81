#!/bin/bash
# Files of sql/ that draw options of every estimator and of pictures, with more draws: there is no finding.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_odd_options || exit 1
psql -X -q -f "$repo/sql/setup.sql" >/dev/null 2>&1
draws() { PGOPTIONS="-c odd.walks=$2" psql -X -q -A -t -f "$repo/sql/$1.sql" 2>&1; }
is "$(draws odd_options "${ODD_WALKS:-60}")" 't|' 'fits to odd tables, and what is asked of them'
is "$(draws odd_folds "${ODD_WALKS:-60}")" 't|' 'cross-validation says what fits by hand say'
is "$(draws odd_plots "${ODD_WALKS:-20}")" $'drawn|t\nnothing|t\nrefused|t' 'pictures of odd rows'
is "$(draws odd_formulas "${ODD_WALKS:-20}")" $'refused|t\nthe same|t' 'random formulas'
is "$(draws odd_tests "${ODD_WALKS:-20}")" 't|t' 'hypothesis tests of odd samples'
