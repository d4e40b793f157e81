#!/bin/bash
# Aggregates that are split over servers, as Citus does it: test/server/relay.c calls their functions with a new FmgrInfo per row, sends states as
# text and combines them. Also that names are not lost on the way, and that fit writes what splits.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_split || exit 1

config=$(find_pg_config)
library=$PGFIT_SCRATCH/relay.so
${CC:-cc} -O2 -shared -fPIC -I"$("$config" --includedir-server)" "$repo/test/server/relay.c" -o "$library" || exit 1
chmod a+r "$library"
PGOPTIONS='-c client_min_messages=warning' sql "CREATE EXTENSION pgfit_distributed;
    CREATE FUNCTION relay_step(internal, oid, record) RETURNS internal AS '$library' LANGUAGE c;
    CREATE FUNCTION relay_text(internal) RETURNS text AS '$library' LANGUAGE c;
    CREATE FUNCTION relay_combine(internal, oid, text, anyelement) RETURNS internal AS '$library' LANGUAGE c;
    CREATE FUNCTION relay_final(internal, oid, text, anyelement) RETURNS anyelement AS '$library' LANGUAGE c;
    CREATE AGGREGATE worker(oid, record) (SFUNC = relay_step, STYPE = internal, FINALFUNC = relay_text);
    CREATE AGGREGATE coordinator(oid, text, anyelement) (SFUNC = relay_combine, STYPE = internal, FINALFUNC = relay_final, FINALFUNC_EXTRA);
    CREATE TABLE t AS SELECT i AS id, i % 5 AS shard, (i * 7 % 31)::float8 AS a, sqrt(i) AS b, (i * 13 % 17) / 3.0::float8 AS c, i % 3 AS label,
                             (i % 4 = 0) AS yes, (ARRAY['x', 'y', 'z'])[i % 3 + 1] AS name, (1 + i % 2)::float8 AS w,
                             3 + 2 * (i * 7 % 31) - sqrt(i) + i % 5 AS y
                      FROM generate_series(1, 1000) AS i" || exit 1

# split AGGREGATE(TYPES) ARGUMENTS RESULT: the result, computed from five parts
split() {
    echo "SELECT coordinator(o, part, NULL::$3) FROM (SELECT '$1'::regprocedure::oid AS o, worker('$1'::regprocedure, ROW($2)) AS part FROM t GROUP BY shard ORDER BY shard) AS parts"
}

# ---- every aggregate that takes whole rows: five parts give what one aggregate gives ----

sql "CREATE FUNCTION near(a pgfit.model, b pgfit.model) RETURNS boolean LANGUAGE sql AS \$\$
         SELECT coalesce(bool_and(abs(x - y) <= 1e-8 * (1 + abs(y))), false)
         FROM (SELECT (jsonb_path_query(a::jsonb, 'strict \$.**?(@.type() == \"number\")') #>> '{}')::float8 AS x,
                      (jsonb_path_query(b::jsonb, 'strict \$.**?(@.type() == \"number\")') #>> '{}')::float8 AS y) AS n \$\$" || exit 1
compared=0
while IFS='|' read -r name types first; do
    case $first in
    'double precision') arguments='y, ' ;;
    integer) arguments='label, ' ;;
    text) arguments='name, ' ;;
    boolean) arguments='yes, ' ;;
    *) arguments= ;;
    esac
    case $name in
    elastic_net | lasso_regression | ridge_regression) options='{"features": ["a", "b", "c"], "lambda": 0.1}' ;;
    logistic_calibration) options='{"features": ["a"]}' ;;
    pca) options='{"features": ["a", "b", "c"], "k": 2}' ;;
    *) options='{"features": ["a", "b", "c"]}' ;;
    esac
    arguments="$arguments t, '$options'::pgfit.call_options"
    fit='('
    case $name in # moments are the same where fits of them are; some of their rows are kept as they came
    moments) fit="pgfit.fit('linear_regression', " ;;
    class_moments) fit="pgfit.fit('lda', " ;;
    feature_moments) fit="pgfit.fit('multivariate_normal', " ;;
    logistic_calibration) arguments=${arguments/label,/label % 2,} arguments=${arguments/name,/yes::text,} ;;
    esac
    got=$(sql "SELECT near($fit($(split "pgfit_distributed.$name($types)" "$arguments" pgfit.model))), $fit(SELECT pgfit.$name($arguments) FROM t)))" 2>&1)
    compared=$((compared + 1))
    [ "$got" = t ] || is "$got" t "pgfit_distributed.$name($types)"
done < <(sql "SELECT proname, array_to_string(proargtypes::regtype[], ','), format_type(proargtypes[0], NULL) FROM pg_proc
              WHERE pronamespace = 'pgfit_distributed'::regnamespace AND array_to_string(proargtypes::regtype[], ',') ~ '^([a-z ]+,)?record,pgfit.call_options\$' ORDER BY 1, 2")
[ "$compared" -eq 36 ]
ok $? "36 aggregates ($compared) over parts give what one aggregate gives"

# ---- every form of the metrics that tabulate, in both ways ----

metrics=0
while IFS='|' read -r name types result; do
    IFS=, read -ra list <<<"$types"
    classes="'false', 'true'"
    case $name:${list[0]} in
    *loss:boolean | brier*:boolean) arguments=yes ;;
    *loss:integer | brier*:integer) arguments='label % 2' classes="'0', '1'" ;;
    *loss:text | brier*:text) arguments='yes::text' ;;
    *:boolean) arguments=yes ;;
    *:integer) arguments=label ;;
    *) arguments=name ;;
    esac
    for type in "${list[@]:1}"; do
        case $name:$type in
        *:text) arguments+=", CASE WHEN a < 12 THEN name ELSE 'x' END" ;;
        *:integer) arguments+=', label * (id % 2)' ;;
        *:'double precision[]') arguments+=', ARRAY[(a + 0.5) / 31, 1 - (a + 0.5) / 31]' ;;
        *:'text[]') arguments+=", ARRAY[$classes]" ;;
        normalized*:pgfit.call_options) arguments+=", '{\"average_method\": \"min\"}'::pgfit.call_options" ;;
        *loss:pgfit.call_options) arguments+=", '{}'::pgfit.call_options" ;;
        brier*:pgfit.call_options) arguments+=", '{}'::pgfit.call_options" ;;
        fisher*:pgfit.call_options) arguments+=", '{\"simulations\": 50}'::pgfit.call_options" ;;
        *_test:pgfit.call_options | weighted*:pgfit.call_options) arguments+=", '{}'::pgfit.call_options" ;;
        *:pgfit.call_options) arguments+=", '{\"average\": \"macro\"}'::pgfit.call_options" ;;
        *) case $arguments in *,*) arguments+=', w' ;; *) arguments+=', (a + 0.5) / 31' ;; esac ;;
        esac
    done
    # without options these want two classes, or take long for tables of many labels
    case $name:$types in precision*,pgfit* | recall*,pgfit* | f1*,pgfit* | f_beta*,pgfit* | fisher*,pgfit* | *loss* | brier*) ;; precision* | recall* | f1* | f_beta* | fisher*) continue ;; esac
    case $name:$types in # changes between two labels
    mcnemar*:text,text*) arguments="yes::text, (id % 3 = 0)::text${arguments#*END}" ;;
    mcnemar*) continue ;;
    esac
    case $result in 'double precision') form='round(%s::numeric, 10)' ;; *) form='md5((%s)::text)' ;; esac
    query=$(printf "SELECT ($form)::text = ($form)::text" "($(split "pgfit_distributed.$name($types)" "$arguments" "$result"))" "(SELECT pgfit.$name($arguments) FROM t)")
    got=$(sql "$query" 2>&1)
    [ "$got" = t ] || is "$got" t "pgfit_distributed.$name($types)"
    metrics=$((metrics + 1))
done < <(sql "SELECT proname, array_to_string(proargtypes::regtype[], ','), format_type(prorettype, NULL) FROM pg_proc JOIN pg_aggregate AS a ON aggfnoid = pg_proc.oid
              WHERE pronamespace = 'pgfit_distributed'::regnamespace AND aggtranstype = 'bytea'::regtype AND aggfinalfn <> 0 ORDER BY 1, 2")
[ "$metrics" -eq 228 ]
ok $? "$metrics forms of metrics over parts give what one aggregate gives"
is "$(sql "SELECT count(*) FROM (SELECT id % 400 AS g, round(pgfit_distributed.log_loss(yes, (a + 0.5) / 31)::numeric, 10) AS l, pgfit_distributed.confusion_matrix(name, 'x'::text) AS c FROM t GROUP BY 1) AS d
           JOIN (SELECT id % 400 AS g, round(pgfit.log_loss(yes, (a + 0.5) / 31)::numeric, 10) AS l, pgfit.confusion_matrix(name, 'x'::text) AS c FROM t GROUP BY 1) AS o USING (g) WHERE d.l = o.l AND d.c = o.c")" 400 'on one server, with many groups'
is "$(sql "SELECT count(DISTINCT (d, o)) FROM (SELECT pgfit_distributed.cohen_kappa(name, 'x'::text) OVER (ORDER BY id) AS d, pgfit.cohen_kappa(name, 'x'::text) OVER (ORDER BY id) AS o FROM t) AS w WHERE d IS DISTINCT FROM o")" 0 'in windows'
is "$(psql -X -q -A -t -d "$PGDATABASE" -c 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0' \
    -c "EXPLAIN SELECT pgfit_distributed.confusion_matrix(name, yes::text) FROM t" -c "SELECT pgfit_distributed.confusion_matrix(name, yes::text) = pgfit.confusion_matrix(name, yes::text) FROM t" | grep -c -e '^t$' -e 'Workers Planned')" 2 'and by parallel workers'
matches "$(sql "SELECT coordinator('pgfit_distributed.log_loss(boolean,float8)'::regprocedure, '\\x00', NULL::float8)" 2>&1)" 'not the state of a metric' 'other bytes are refused'
matches "$(sql "$(split 'pgfit_distributed.precision_score(text,text,pgfit.call_options)' "name, name, jsonb_build_object('positive', name)::pgfit.call_options" float8)" 2>&1)" 'options differ' 'and options that differ'

# ---- other forms: arrays, objects, formulas, weights, groups, steps, accuracy, metrics of numbers ----

gives() { # gives AGGREGATE(TYPES) AGGREGATE ARGUMENTS WHAT
    is "$(sql "SELECT near(($(split "pgfit_distributed.$1" "$3" pgfit.model)), (SELECT pgfit.$2($3) FROM t))" 2>&1)" t "$4"
}
gives 'linear_regression(float8, float8[])' linear_regression 'y, ARRAY[a, b]' 'an array'
gives 'linear_regression(float8, jsonb)' linear_regression "y, jsonb_build_object('a', a, 'b', b)" 'an object'
gives 'linear_regression(float8, record, pgfit.call_options)' linear_regression "y, pgfit_distributed.whole_row(t), 'a + log(b)'::pgfit.call_options" 'a formula'
gives 'linear_regression(float8, record, pgfit.call_options)' linear_regression "y, pgfit_distributed.whole_row(t), '. - id - name - shard'::pgfit.call_options" 'all columns but the target'
gives 'linear_regression(float8, record, pgfit.call_options, float8)' linear_regression "y, t, 'a + name'::pgfit.call_options, w" 'levels and a weight'
gives 'linear_regression(float8, record, pgfit.call_options)' linear_regression "y, ROW(a, b), '{\"features\": [\"a\", \"b\"]}'::pgfit.call_options" 'columns that the options name'
gives 'linear_regression(float8, record, pgfit.call_options)' linear_regression "y, t, '{\"formula\": \"a + b\", \"standardize\": true}'::pgfit.call_options" 'options arrive with the state'
sql "CREATE TABLE start AS SELECT pgfit.kmeans(t, '{\"k\": 3, \"seed\": 1, \"features\": [\"a\", \"b\"]}'::jsonb) AS m, pgfit_textbook.logistic_start(pgfit.class_moments(name, t, 'a + b')) AS l, pgfit_textbook.glm_start(pgfit.moments(label, t, 'a + b'), '{\"family\": \"poisson\"}') AS g FROM t" || exit 1
is "$(sql "SELECT near((SELECT coordinator(o, part, NULL::pgfit.model) FROM (SELECT o, worker(o, ROW(t, m)) AS part FROM t, start,
              (SELECT 'pgfit_distributed.kmeans_step(record, pgfit.model)'::regprocedure::oid AS o) AS r GROUP BY o, shard) AS p), (SELECT pgfit_textbook.kmeans_step(t, m) FROM t, start))")" t 'kmeans_step'
is "$(sql "SELECT near((SELECT coordinator(o, part, NULL::pgfit.model) FROM (SELECT o, worker(o, ROW(name, t, l)) AS part FROM t, start,
              (SELECT 'pgfit_distributed.logistic_step(text, record, pgfit.model)'::regprocedure::oid AS o) AS r GROUP BY o, shard) AS p), (SELECT pgfit_textbook.logistic_step(name, t, l) FROM t, start))")" t 'logistic_step'
is "$(sql "SELECT near((SELECT coordinator(o, part, NULL::pgfit.model) FROM (SELECT o, worker(o, ROW(label::float8, t, g)) AS part FROM t, start,
              (SELECT 'pgfit_distributed.glm_step(float8, record, pgfit.model)'::regprocedure::oid AS o) AS r GROUP BY o, shard) AS p), (SELECT pgfit_textbook.glm_step(label, t, g) FROM t, start))")" t 'glm_step'
is "$(sql "$(split 'pgfit_distributed.accuracy(text, text)' "name, CASE WHEN a < 12 THEN name ELSE 'x' END" float8)")" \
    "$(sql "SELECT pgfit.accuracy(name, CASE WHEN a < 12 THEN name ELSE 'x' END) FROM t")" 'accuracy'
is "$(sql "SELECT round(($(split 'pgfit.rmse(float8, float8)' 'y, 2 * a' float8))::numeric, 9) = round(pgfit.rmse(y, 2 * a)::numeric, 9) FROM t")" t 'metrics of numbers have exact types in schema pgfit'
is "$(sql "SELECT bool_and(near(split, whole)) FROM
    (SELECT label, coordinator(o, part, NULL::pgfit.model) AS split FROM (SELECT label, o, worker(o, ROW(y, ARRAY[a, b])) AS part FROM t,
        (SELECT 'pgfit_distributed.linear_regression(float8, float8[])'::regprocedure::oid AS o) AS r GROUP BY o, label, shard) AS p GROUP BY label) AS s
    JOIN (SELECT label, pgfit.linear_regression(y, ARRAY[a, b]) AS whole FROM t GROUP BY label) AS w USING (label)")" t 'groups in a hash table'
is "$(sql "SELECT count(*) FROM (SELECT worker(o, ROW(y, ARRAY[a])), worker(o, ROW(y, ARRAY[b, a])), worker(o2, ROW(ARRAY[a, b, c])) FROM t,
        (SELECT 'pgfit_distributed.moments(float8, float8[])'::regprocedure::oid AS o, 'pgfit_distributed.feature_moments(float8[])'::regprocedure::oid AS o2) AS r
        GROUP BY id) AS g")" 1000 'several aggregates in a query, with a group per row'
is "$(sql "SELECT near(m, pgfit.linear_regression(y, ARRAY[a, b])) FROM t, LATERAL (SELECT pgfit.fit('linear_regression', pgfit.merge(s::text::pgfit.model)) AS m FROM
    (SELECT pgfit.moments(y, ARRAY[a, b]) AS s FROM t GROUP BY shard) AS p) AS q GROUP BY m")" t 'stored moments cross as text'
is "$(sql "SELECT bool_and(s::text = s::text::pgfit.model::text AND pgfit.merge(s, s)::text = pgfit.merge(s::text::pgfit.model, s::text::pgfit.model)::text)
           FROM (SELECT pgfit.moments(y, t, 'a + b + name') AS s FROM t GROUP BY shard) AS p")" t 'bit for bit, and merge to the same bits'

# ---- the same, prepared, several executions, an error between them, a table that changes ----

prepared=$(split 'pgfit_distributed.linear_regression(float8, record, pgfit.call_options)' "y, t, 'a + b'::pgfit.call_options" pgfit.model)
got=$(psql -X -q -A -t -d "$PGDATABASE" 2>&1 <<END
PREPARE fits AS SELECT round(pgfit.predict(m, t)) FROM ($prepared) AS s(m), t WHERE id = 7;
EXECUTE fits;
EXECUTE fits;
SELECT worker('pgfit_distributed.linear_regression(float8,float8[])'::regprocedure, ROW(1 / (id - 500), ARRAY[a])) FROM t;
EXECUTE fits;
BEGIN;
ALTER TABLE t RENAME COLUMN b TO beta;
EXECUTE fits;
ROLLBACK;
ALTER TABLE t ADD COLUMN extra text DEFAULT 'x';
EXECUTE fits;
DO \$\$ BEGIN FOR i IN 1 .. 200 LOOP PERFORM worker('pgfit_distributed.moments(float8,float8[])'::regprocedure, ROW(y, ARRAY[a, b])) FROM t WHERE id < 3; END LOOP; END \$\$;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'pgfit call site';
END
)
want=$(sql "SELECT round(pgfit.predict((SELECT pgfit.linear_regression(y, t, 'a + b') FROM t), t)) FROM t WHERE id = 7")
is "$(grep -c "^$want\$" <<<"$got")" 4 'a prepared query, run again after an error and after the table has changed'
matches "$got" 'division by zero.*"b"' 'errors pass'
is "$(tail -n 1 <<<"$got")" 0 'nothing of a call site outlives its query'

# ---- names ----

matches "$(sql "$(split 'pgfit_distributed.linear_regression(float8, record, pgfit.call_options)' "y, ROW(a, b), '{}'::pgfit.call_options" pgfit.model)" 2>&1)" \
    '2 of 2 features arrived without names.*"features"' 'a row that has lost its names is refused'

named="y, pgfit_distributed.named_row(ARRAY['b', 'a'], b, a), 'a + log(b)'::pgfit.call_options"
is "$(sql "SELECT near(($(split 'pgfit_distributed.linear_regression(float8, record, pgfit.call_options)' "$named" pgfit.model)), (SELECT pgfit.linear_regression(y, t, 'a + log(b)') FROM t))" 2>&1)" t 'a row takes its names along'
is "$(sql "SELECT r::text, to_jsonb(r) FROM (SELECT pgfit_distributed.named_row('{one,two}', id, name) AS r FROM t WHERE id = 1) AS q")" '(1,y)|{"one": 1, "two": "y"}' 'it is a row like others'
matches "$(sql "SELECT pgfit_distributed.named_row(ARRAY['a'], 1, 2)" 2>&1)" '1 names for 2 columns' 'one name for each column'
matches "$(sql "SELECT pgfit_distributed.named_row(ARRAY[name], 1) FROM t" 2>&1)" 'must be a constant' 'the same for all rows'
matches "$(sql "SELECT pgfit_distributed.named_row(ARRAY[NULL::text], 1)" 2>&1)" 'is null' 'and none is missing'
matches "$(sql "SELECT pgfit_distributed.named_row('{a}', VARIADIC ARRAY[1])" 2>&1)" 'one by one' 'columns come one by one'

# an extension of the name, and the table in which it lists distributed tables: what is asked of it is only whether it is there
folder=$("$PGFIT_BINDIR/pg_config" --sharedir)/extension
printf "default_version = '1'\nrelocatable = true\n" >"$folder/citus.control"
echo 'SELECT' >"$folder/citus--1.sql"
chmod a+r "$folder"/citus*
sql "CREATE TABLE model AS SELECT pgfit.linear_regression(y, t, 'a + b') AS m FROM t" || exit 1
scores="SELECT round(pgfit.predict(m, ROW(a, b))) = round(pgfit.predict(m, t)) FROM model, t WHERE id = 7"
is "$(sql "$scores")" t 'a row without names is scored by position'
sql 'CREATE EXTENSION citus' || exit 1
matches "$(sql "$scores" 2>&1)" 'the model has names, but the row has none: Citus' 'but not where Citus may have lost them'
is "$(sql "SELECT round(pgfit.predict(m, t)) = round(pgfit.predict(m, ARRAY[a, b])), round(pgfit.predict(m, t)) = round(pgfit.predict(m, jsonb_build_object('b', b, 'a', a)))
           FROM model, t WHERE id = 7")" 't|t' 'whole rows, arrays and objects are scored there'
sql 'DROP EXTENSION citus'
rm -f "$folder"/citus*

# ---- fit over distributed tables ----

fits() { sql "SELECT replace(pgfit.fit_sql('$1', '$2', '$3', '$4'), E'\n', ' ')" 2>&1; }
is "$(fits linear_regression t 'y ~ a + b' '{"distributed": true}')" "SELECT pgfit_distributed.linear_regression(d.y, pgfit_distributed.whole_row(d), 'y ~ a + b') FROM public.t AS d" 'fit writes the form that splits'
is "$(fits ridge_regression t 'id ~ a' '{"distributed": true, "lambda": 1, "weight": "label"}')" \
    "SELECT pgfit_distributed.ridge_regression(d.id::pg_catalog.float8, pgfit_distributed.whole_row(d), '{\"lambda\": 1, \"formula\": \"id ~ a\"}', d.label::pg_catalog.float8) FROM public.t AS d" 'with casts to its types'
is "$(fits lda t 'name ~ a + b' '{"distributed": true}') $(fits qda t 'yes ~ a + b' '{"distributed": true}')" \
    "SELECT pgfit_distributed.lda(d.name, pgfit_distributed.whole_row(d), 'name ~ a + b') FROM public.t AS d SELECT pgfit_distributed.qda(d.yes, pgfit_distributed.whole_row(d), 'yes ~ a + b') FROM public.t AS d" 'labels keep their types'
is "$(fits kmeans t '~ a + b' '{"distributed": true, "k": 3}')" "SELECT pgfit.kmeans(d, '{\"k\": 3, \"formula\": \"a + b\"}') FROM public.t AS d" 'methods that need the rows do not split'
for call in "'linear_regression', 't', 'id ~ a + b'" "'lda', 't', 'name ~ a + b'" "'lda', 't', 'yes ~ a + b'" "'qda', 't', 'label ~ a + b'" "'multivariate_normal', 't', '~ a + b'" "'pca', 'SELECT a, b, c FROM t', NULL"; do
    is "$(sql "SELECT near(pgfit.fit($call, '{\"distributed\": true}'), pgfit.fit($call))" 2>&1)" t "fit($call) gives the same model"
done
is "$(fits logistic_regression t 'name ~ a + b' '{"distributed": true, "passes": true, "weight": "w"}')" \
    'SELECT pgfit_distributed.logistic_step(d.name, pgfit_distributed.whole_row(d), $1, d.w::pg_catalog.float8) FROM public.t AS d' 'passes split'
while IFS='|' read -r estimator formula options; do
    is "$(sql "SET client_min_messages = error; SELECT near(pgfit.fit('$estimator', 't', '$formula', '{\"passes\": true, \"distributed\": true$options}'), pgfit.fit('$estimator', 't', '$formula', '{\"passes\": true$options}'))" 2>&1)" t \
        "passes of $estimator$options give the same model"
done <<'END'
logistic_regression|name ~ a + b|
logistic_regression|yes ~ a + log(b)|, "weight": "w", "lambda": 0.1
glm|label ~ a + log(b)|, "family": "poisson", "weight": "w"
gamma_regression|id ~ a + b + name|
svm_classifier|name ~ a + b|, "loss": "squared_hinge"
svm_regression|id ~ a + b|, "loss": "squared_epsilon_insensitive"
kmeans|~ a + b|, "k": 3, "seed": 1
gaussian_mixture|~ a + b|, "k": 2, "seed": 1
END
is "$(sql "SET client_min_messages = error; SELECT pgfit.info(m) ->> 'rows', m::text = pgfit.fit('kmeans', 't', '~ a + b', '{\"passes\": {\"sample\": 200}, \"distributed\": true, \"k\": 3, \"seed\": 1}')::text
           FROM pgfit.fit('kmeans', 't', '~ a + b', '{\"passes\": {\"sample\": 200}, \"distributed\": true, \"k\": 3, \"seed\": 1}') AS m" 2>&1)" '1000|t' 'a sample of a distributed table is the same each time'
matches "$(fits lda t 'name ~ a' '{"distributed": 1}')" 'distributed' 'a number is not a boolean'
is "$(sql "SELECT pgfit.info(pgfit.fit('linear_regression', 't', 'y ~ a', '{\"distributed\": true}')) ->> 'target'" 2>&1)" y 'the name of the target arrives'
is "$(fits linear_regression t 'y ~ a' '{}')" "SELECT pgfit.linear_regression(d.y, d, 'y ~ a') FROM public.t AS d" 'a table that is not distributed'
psql -X -q -d "$PGDATABASE" -c 'SET allow_system_table_mods = on' -c 'CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char")' || exit 1
is "$(fits linear_regression t 'y ~ a' '{}')" "SELECT pgfit.linear_regression(d.y, d, 'y ~ a') FROM public.t AS d" 'nor is this one, though others are'
psql -X -q -d "$PGDATABASE" -c 'SET allow_system_table_mods = on' -c "INSERT INTO pg_catalog.pg_dist_partition VALUES ('t', 'h')" || exit 1
is "$(fits linear_regression t 'y ~ a' '{}')" "SELECT pgfit_distributed.linear_regression(d.y, pgfit_distributed.whole_row(d), 'y ~ a') FROM public.t AS d" 'a distributed table is found'
is "$(fits linear_regression t 'y ~ a' '{"distributed": false}')" "SELECT pgfit.linear_regression(d.y, d, 'y ~ a') FROM public.t AS d" 'unless the options say no'
is "$(fits linear_regression 'SELECT y, a FROM t' 'y ~ a' '{}')" "SELECT pgfit_distributed.linear_regression(d.y, pgfit_distributed.named_row('{y,a}'::pg_catalog.text[], d.y, d.a), 'y ~ a') FROM (SELECT y, a FROM t ) AS d" \
    'and one in a query, whose rows take their names along'
sql 'CREATE VIEW v AS SELECT b AS first, a AS second, y, name FROM t' || exit 1
is "$(fits linear_regression v 'y ~ first' '{}')" "SELECT pgfit_distributed.linear_regression(d.y, pgfit_distributed.named_row('{first,second,y,name}'::pg_catalog.text[], d.first, d.second, d.y, d.name), 'y ~ first') FROM public.v AS d" 'or a view'
for formula in 'y ~ second + log(first)' 'y ~ first + name' 'y ~ .'; do
    is "$(sql "SELECT near(pgfit.fit('linear_regression', 'v', '$formula'), pgfit.fit('linear_regression', 'v', '$formula', '{\"distributed\": false}'))" 2>&1)" t "a view gives the same model, $formula"
done
psql -X -q -d "$PGDATABASE" -c 'SET allow_system_table_mods = on' -c "DROP TABLE pg_catalog.pg_dist_partition" || exit 1
is "$(psql -X -q -A -t -d "$PGDATABASE" -c 'BEGIN' -c 'DROP EXTENSION pgfit_distributed' -c "SELECT pgfit.fit_sql('lda', 't', 'name ~ a', '{\"distributed\": true}')" 2>&1 | grep -o 'needs the extension pgfit_distributed')" \
    'needs the extension pgfit_distributed' 'without the extension an error says what is missing'

# ---- the extension: without superuser rights, in dumps ----

sql 'CREATE ROLE split_owner LOGIN' && sql 'CREATE DATABASE pgfit_split_owned OWNER split_owner' || exit 1
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_split_owned" -c "DROP DATABASE IF EXISTS pgfit_split_restored" -c "DROP ROLE IF EXISTS split_owner"' EXIT
PGOPTIONS='-c client_min_messages=warning' psql -X -q -d pgfit_split_owned -U split_owner -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit_distributed CASCADE' \
    -c "CREATE VIEW v AS SELECT pgfit_distributed.moments(i, ARRAY[i * i]::float8[]) AS s FROM generate_series(1, 9) AS i"
ok $? 'the owner of a database installs both extensions'
pg_dump -d pgfit_split_owned >"$PGFIT_SCRATCH/split.sql" && psql -X -q -d postgres -c 'CREATE DATABASE pgfit_split_restored' &&
    psql -X -q -d pgfit_split_restored -v ON_ERROR_STOP=1 -f "$PGFIT_SCRATCH/split.sql" >/dev/null 2>&1 &&
    is "$(psql -X -q -A -t -d pgfit_split_restored -c 'SELECT s IS NOT NULL FROM v')" t 'a view of it is dumped and restored'
