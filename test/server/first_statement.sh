#!/bin/bash
# The . of a formula means the same columns in the first statement of a session, which is planned before the library is loaded, in later ones,
# and where the library is loaded before any statement.
. "$(dirname "$0")/lib.sh"

fresh_database pgfit_first_statement || exit 1
sql "CREATE FUNCTION named(m pgfit.model) RETURNS text LANGUAGE sql AS \$\$ SELECT string_agg(f ->> 'name', ',' ORDER BY i) FROM jsonb_array_elements(pgfit.info(m) -> 'features') WITH ORDINALITY AS t(f, i) \$\$;
     CREATE TABLE cars AS SELECT i AS id, 10 + i % 23 + sin(i) AS mpg, 100.0 + i * 37 % 401 AS weight, 50.0 + i * 91 % 203 AS horsepower, 1 + i % 2 AS w FROM generate_series(1, 60) AS i;
     CREATE VIEW cars_ln AS SELECT ln(mpg) AS y, weight, horsepower FROM cars;
     CREATE VIEW swapped AS SELECT id AS key, horsepower AS id, mpg AS y, weight AS mpg, w AS wt, sqrt(weight) AS w FROM cars;
     CREATE VIEW again AS SELECT wt AS mpg, y * 2 AS id, mpg AS w, key AS y, id AS key FROM swapped" || exit 1

wrong=
while IFS='|' read -r features call; do
    query="SELECT named(pgfit.${call/ FROM/) FROM}"
    load="SELECT pgfit.moments(1, ARRAY[2]) IS NULL" # any call loads the library
    first=$(sql "$query" 2>&1)
    later=$(psql -X -q -A -t -c "$load" -c "$query" -c "$query" 2>&1 | tail -n +2 | sort -u)
    preloaded=$(PGOPTIONS='-c session_preload_libraries=pgfit' sql "$query" 2>&1)
    for given in "$first" "$later" "$preloaded"; do
        [ "$given" = "$features" ] || wrong+=" $call: $given;"
    done
done <<'QUERIES'
id,weight,horsepower,w|linear_regression(mpg, d, '.') FROM cars AS d
weight,horsepower|linear_regression(y, d, '.') FROM cars_ln AS d
key,id,mpg,w|linear_regression(y, d, '.', wt) FROM swapped AS d
id,w,key|linear_regression(y, d, '.', mpg) FROM again AS d
id,y,mpg,wt,w|hierarchical(key, d, '.') FROM swapped AS d
key,id,mpg,w|linear_regression(y, d, '.', wt) FROM (SELECT * FROM swapped OFFSET 0) AS d
key,id,mpg,w|linear_regression(e.y, d, '.', e.wt) FROM swapped AS e, LATERAL (SELECT e.*) AS d
key,id,mpg,wt,w|linear_regression(d.y, d, '.') FROM cars AS e LEFT JOIN swapped AS d ON d.key = e.id
w,id,wt,key,mpg|linear_regression(d.y, to_jsonb(d), '.') FROM swapped AS d
id,weight,horsepower,w|linear_regression(d.y, d, '.') FROM cars AS d(key, y, mpg)
key,id,mpg,wt,w|linear_regression(d.y, d, '.') FROM swapped AS d, generate_series(1, 3) AS g WHERE key % 3 = g GROUP BY g LIMIT 1
key,mpg|linear_regression(d.y, d, '. - id - wt - w') FROM swapped AS d
QUERIES
is "$wrong" '' 'the first statement of a session, later ones and those after a preload leave out the same columns'
