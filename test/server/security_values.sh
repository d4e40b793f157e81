#!/bin/bash
# Security of values: a role that owns nothing but its own schema plants models, options, types and settings, and others use them. Planted code
# raises a WARNING as soon as it runs with the rights of somebody else, which the log of the server keeps, whatever becomes of the statement.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_values || exit 1
roles='pgfit_planter pgfit_app pgfit_other'
for role in $roles; do sql "CREATE ROLE $role LOGIN; CREATE SCHEMA $role AUTHORIZATION $role; GRANT USAGE ON SCHEMA $role TO PUBLIC" || exit 1; done
clean_up() {
    PGDATABASE=postgres sql "ALTER SYSTEM RESET ALL" && PGDATABASE=postgres sql "SELECT pg_reload_conf()" >/dev/null
    for database in pgfit_values pgfit_restored; do PGDATABASE=postgres sql "DROP DATABASE IF EXISTS $database" 2>/dev/null; done
    PGDATABASE=postgres sql "DROP ROLE IF EXISTS pgfit_planter, pgfit_app, pgfit_other"
}
trap clean_up EXIT
# as ROLE STATEMENT...: prints the rows, or the SQLSTATE of the error; each statement is a transaction of one session
as() {
    local role=$1 statements=()
    shift
    for statement; do statements+=(-c "$statement"); done
    psql -X -q -A -t -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -U "$role" "${statements[@]}" 2>&1 | grep -v '^\(NOTICE\|WARNING\|INFO\): '
    return 0
}
# prepare ROLE STATEMENT...: runs them, and stops the test if they fail
prepare() {
    local printed
    printed=$(as "$@")
    [[ $printed != *ERROR:* ]] || { echo "not ok - a preparation failed: $printed: ${*:2}"; exit 1; }
}
planted_runs() { grep -c 'planted code ran as' "$PGFIT_LOG"; }
runs=$(planted_runs)
# refused WHAT ROLE STATEMENT...: the last statement ends with insufficient_privilege, and nothing planted ran
refused() {
    local what=$1 state now
    shift
    state=$(as "$@")
    now=$(planted_runs)
    is "${state##*$'\n'}, $((now - runs)) runs" 'ERROR:  42501, 0 runs' "$what"
    runs=$now
}
# unharmed WANTED WHAT ROLE STATEMENT...: the statements print this, and nothing planted ran
unharmed() {
    local wanted=$1 what=$2 got now
    shift 2
    got=$(as "$@")
    now=$(planted_runs)
    is "$got, $((now - runs)) runs" "$wanted, 0 runs" "$what"
    runs=$now
}

# ---- what the planter has: functions, types and models of its own ----
prepare pgfit_planter "
    CREATE FUNCTION pgfit_planter.note() RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS
        \$\$BEGIN IF current_user <> 'pgfit_planter' THEN RAISE WARNING 'planted code ran as %', current_user; END IF; RETURN true; END\$\$;
    CREATE FUNCTION pgfit_planter.metric(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
        'BEGIN PERFORM pgfit_planter.note(); RETURN abs(length(a) - length(b)); END';
    CREATE DOMAIN pgfit_planter.noted AS text CHECK (pgfit_planter.note());
    CREATE TYPE pgfit_planter.pair AS (x text, y pgfit_planter.noted);
    CREATE TYPE pgfit_planter.noted_range AS RANGE (subtype = pgfit_planter.noted, collation = \"C\");
    CREATE FUNCTION pgfit_planter.array_of(int4range) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
        'BEGIN PERFORM pgfit_planter.note(); RETURN ARRAY[lower(\$1), upper(\$1)]; END';
    CREATE TYPE pgfit_planter.span AS RANGE (subtype = int4);
    CREATE FUNCTION pgfit_planter.array_of(pgfit_planter.span) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
        'BEGIN PERFORM pgfit_planter.note(); RETURN ARRAY[lower(\$1), upper(\$1)]; END';
    CREATE CAST (pgfit_planter.span AS float8[]) WITH FUNCTION pgfit_planter.array_of(pgfit_planter.span);
    CREATE TABLE pgfit_planter.words AS SELECT i AS id, repeat('a', i) AS word, i % 2 = 0 AS even, int4range(i, 2 * i)::text::pgfit_planter.span AS span
        FROM generate_series(1, 8) AS i;
    GRANT SELECT ON pgfit_planter.words TO PUBLIC"
prepare postgres "
    CREATE TABLE public.inbox (kind text PRIMARY KEY, m pgfit.model);
    GRANT SELECT ON public.inbox TO PUBLIC; GRANT INSERT ON public.inbox TO pgfit_planter, pgfit_app;
    CREATE TABLE public.settings (kind text PRIMARY KEY, options jsonb);
    GRANT SELECT, INSERT ON public.settings TO pgfit_planter, pgfit_app"
planted='"metric": "pgfit_planter.metric(text,text)"'
prepare pgfit_planter "
    INSERT INTO inbox SELECT 'knn', pgfit.knn_regression(id, word, '{\"k\": 2, $planted}') FROM words;
    INSERT INTO inbox SELECT 'classes', pgfit.knn_classifier(even, word, '{\"k\": 2, $planted}') FROM words;
    INSERT INTO inbox SELECT 'neighbors', pgfit.neighbors(id, word, '{$planted}') FROM words;
    INSERT INTO inbox SELECT 'kmedoids', pgfit.kmedoids(word, 2, '{$planted}') FROM words;
    INSERT INTO inbox SELECT 'ensemble', pgfit.ensemble(m, m) FROM inbox WHERE kind = 'knn';
    INSERT INTO settings VALUES ('metric', '{$planted}')"
is "$(as postgres 'SELECT count(*) FROM inbox')" 5 'the planter fits with its own function, and plants the models'
unharmed 't' 'which it may score itself' pgfit_planter "SELECT pgfit.predict(m, 'aaa'::text) > 0 FROM inbox WHERE kind = 'knn'"
is "$(as postgres 'SELECT pgfit_planter.note()') $(($(planted_runs) - runs))" 't 1' 'code of the planter that ran would be seen'
runs=$(planted_runs)

# ---- scores, reports, fits and merges of a superuser ----
score="SELECT pgfit.predict(m, 'aaa'::text) FROM inbox WHERE kind = 'knn'"
refused 'a score' postgres "$score"
refused 'a label' postgres "SELECT pgfit.classify(m, 'aaa'::text) FROM inbox WHERE kind = 'classes'"
refused 'a label in a type of the caller' postgres "SELECT pgfit.classify(m, 'aaa'::text, NULL::boolean) FROM inbox WHERE kind = 'classes'"
refused 'probabilities' postgres "SELECT pgfit.probabilities(m, 'aaa'::text) FROM inbox WHERE kind = 'classes'"
refused 'neighbors' postgres "SELECT n.* FROM inbox, pgfit.nearest(m, 'aaa'::text, 2) AS n WHERE kind = 'neighbors'"
refused 'a cluster' postgres "SELECT pgfit.cluster(m, 'aaa'::text) FROM inbox WHERE kind = 'kmedoids'"
refused 'a distance' postgres "SELECT pgfit.distance(m, 'aaa'::text) FROM inbox WHERE kind = 'kmedoids'"
refused 'the score of an ensemble' postgres "SELECT pgfit.predict(m, 'aaa'::text) FROM inbox WHERE kind = 'ensemble'"
for call in "pgfit.neighbor_graph(m, 2)" "pgfit.radius_graph(m, 2)" "pgfit.search_statistics(m, 'aaa'::text, 2)"; do
    refused "$call" postgres "SELECT g.* FROM inbox, $call AS g WHERE kind = 'neighbors'"
done
refused 'scores in batches' postgres "SELECT pgfit.predict_batch(m, w.word) OVER (PARTITION BY kind) FROM inbox, pgfit_planter.words AS w WHERE kind = 'knn'"
refused 'the plan of a score of constants' postgres "DO \$\$BEGIN EXECUTE format('EXPLAIN SELECT pgfit.predict(%L::pgfit.model, ''aaa''::text)', (SELECT m FROM inbox WHERE kind = 'knn')); END\$\$"
refused 'a fit with options from a table' postgres "SELECT pgfit.kmedoids(word, 2, (SELECT options FROM settings)) FROM pgfit_planter.words"
refused 'a search over options from a table' postgres "SELECT pgfit.fit('kmedoids', 'pgfit_planter.words', '~ word', (SELECT options || '{\"k\": 2}' FROM settings))"
refused 'a metric of predictions' postgres "SELECT pgfit.silhouette(even, word, (SELECT options FROM settings)) FROM pgfit_planter.words"
refused 'a function of the planter in the options of a superuser' postgres "SELECT pgfit.kmedoids(word, 2, '{$planted}') FROM pgfit_planter.words"
unharmed '' 'every function that takes a model, called with each' postgres "DO \$\$
    DECLARE call text;
    BEGIN
        FOR call IN SELECT format('SELECT count(*) FROM inbox, LATERAL (SELECT %s) AS c', format('%s(%s)', p.oid::regproc, string_agg(
                CASE a.type WHEN 'pgfit.model'::regtype THEN 'm' WHEN 'pgfit.model[]'::regtype THEN 'ARRAY[m, m]' WHEN '\"any\"'::regtype THEN '''aaa''::text' WHEN 'text'::regtype THEN '''word'''
                    WHEN 'jsonb'::regtype THEN '''{}''' WHEN 'pgfit.call_options'::regtype THEN '''{}''' WHEN 'anyelement'::regtype THEN 'NULL::int' WHEN 'record'::regtype THEN 'ROW(''aaa''::text)'
                    ELSE format('%L::%s', CASE WHEN a.type::regtype::text LIKE '%[]' THEN '{1,2}' ELSE '2' END, a.type::regtype) END, ', ' ORDER BY a.i)))
            FROM pg_proc AS p, unnest(p.proargtypes) WITH ORDINALITY AS a(type, i)
            WHERE p.pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace, 'pgfit_internal'::regnamespace) AND p.prokind = 'f'
            GROUP BY p.oid HAVING bool_or(a.type::regtype IN ('pgfit.model', 'pgfit.model[]')) AND bool_and(a.type <> 'internal'::regtype)
        LOOP
            BEGIN EXECUTE call; EXCEPTION WHEN OTHERS THEN NULL; END;
        END LOOP;
    END\$\$"
unharmed '5' 'reports call nothing' postgres "SELECT count(pgfit.info(m)) FROM inbox WHERE pgfit.summary(m) <> ''"
prepare pgfit_planter "CREATE TABLE pgfit_planter.piped AS SELECT pgfit.pipeline((SELECT pgfit.mds(id, word, '{\"k\": 1, $planted}') FROM words), (SELECT pgfit.linear_regression(even::int, id::float8) FROM words)) AS m;
    GRANT SELECT ON pgfit_planter.piped TO PUBLIC"
refused 'the score of a pipeline' postgres "SELECT pgfit.predict(m, 'aaa'::text) FROM pgfit_planter.piped"
unharmed 'ERROR:  42809' 'writing it as SQL, which has no form for its first stage' postgres 'SELECT pgfit.to_sql(m) FROM pgfit_planter.piped'
unharmed '5' 'nor do copies through text' postgres "SELECT count(*) FROM inbox WHERE m::text::pgfit.model::text = m::text"
prepare pgfit_planter "SELECT version FROM pgfit.train('planted', 'knn_regression', 'pgfit_planter.words', 'id ~ word', '{\"holdout\": false, \"options\": {$planted}}');
                  SELECT pgfit.grant_model('planted', 'public')"
refused 'a score by name' postgres "SELECT pgfit.predict('planted', w) FROM pgfit_planter.words AS w"
refused 'a comparison by name' postgres "SELECT * FROM pgfit.compare('planted', 'planted', 'pgfit_planter.words')"

# ---- on behalf of others ----
prepare pgfit_app "
    CREATE FUNCTION pgfit_app.score() RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
        AS 'SELECT pgfit.predict(m, ''aaa''::text) FROM public.inbox WHERE kind = ''knn''';
    CREATE MATERIALIZED VIEW pgfit_app.scores AS SELECT kind, pgfit.predict(m, 'aaa'::text) AS score FROM public.inbox WHERE kind = 'knn' WITH NO DATA;
    CREATE TABLE pgfit_app.models (m pgfit.model); GRANT SELECT, INSERT ON pgfit_app.models TO pgfit_planter;
    CREATE TABLE pgfit_app.generated (m pgfit.model, score float8 GENERATED ALWAYS AS (pgfit.predict(m, 'aaa'::text)) STORED);
    GRANT SELECT, INSERT ON pgfit_app.generated TO pgfit_planter"
prepare pgfit_planter "INSERT INTO pgfit_app.models SELECT m FROM inbox WHERE kind = 'knn'; INSERT INTO pgfit_app.generated SELECT m FROM inbox WHERE kind = 'knn'"
refused 'a function that runs as its owner' pgfit_planter 'SELECT pgfit_app.score()'
refused 'the refresh of a materialized view' postgres 'REFRESH MATERIALIZED VIEW pgfit_app.scores'
refused 'an index of scores' postgres "CREATE INDEX ON pgfit_app.models (pgfit.predict(m, 'aaa'::text))"
refused 'an update of a generated column' postgres 'UPDATE pgfit_app.generated SET m = m'
prepare pgfit_app "CREATE TABLE pgfit_app.indexed (m pgfit.model); GRANT INSERT ON pgfit_app.indexed TO pgfit_planter;
              CREATE INDEX ON pgfit_app.indexed (pgfit.predict(m, 'aaa'::text)); ALTER TABLE pgfit_app.indexed SET (autovacuum_analyze_threshold = 0, autovacuum_analyze_scale_factor = 0)"
prepare pgfit_planter "INSERT INTO pgfit_app.indexed SELECT m FROM inbox, generate_series(1, 20) WHERE kind = 'knn'"
refused 'ANALYZE of an index of scores' postgres 'ANALYZE pgfit_app.indexed'
refused 'a new build of such an index' postgres 'REINDEX TABLE pgfit_app.indexed'
prepare pgfit_planter "INSERT INTO pgfit_app.indexed SELECT m FROM inbox WHERE kind = 'knn'"
analyzed=$(wc -l <"$PGFIT_LOG")
prepare postgres 'ALTER SYSTEM SET autovacuum = on' "ALTER SYSTEM SET autovacuum_naptime = '1s'" 'SELECT pg_reload_conf()'
for _ in $(seq 240); do
    tail -n +"$((analyzed + 1))" "$PGFIT_LOG" | grep -q 'automatic analyze of table "pgfit_values.pgfit_app.indexed"' && break
    sleep 0.25
done
matches "$(tail -n +"$((analyzed + 1))" "$PGFIT_LOG" | tr '\n' ' ')" 'ERROR: +.*is not trusted: .*automatic analyze of table "pgfit_values.pgfit_app.indexed"' 'autovacuum does not get to run it'
is $(($(planted_runs) - runs)) 0 'and nothing planted ran there'
prepare postgres "ALTER TABLE pgfit_app.indexed SET (autovacuum_enabled = off)" 'ALTER SYSTEM RESET ALL' 'SELECT pg_reload_conf()'

# ---- sessions that change their user, and parallel workers ----
refused 'a prepared score after SET ROLE' postgres 'SET ROLE pgfit_planter' "PREPARE scored AS $score" 'EXECUTE scored' 'EXECUTE scored' 'RESET ROLE' 'EXECUTE scored'
refused 'a row scored in a loop that changes its role' postgres "DO \$\$DECLARE model pgfit.model := (SELECT m FROM inbox WHERE kind = 'knn'); BEGIN
    FOR i IN 1 .. 4 LOOP IF i = 3 THEN RESET ROLE; ELSIF i = 1 THEN SET ROLE pgfit_planter; END IF; PERFORM pgfit.predict(model, repeat('a', i)); END LOOP; END\$\$"
prepare pgfit_app "CREATE TABLE pgfit_app.many AS SELECT repeat('a', i % 50) AS word FROM generate_series(1, 5000) AS i; ALTER TABLE pgfit_app.many SET (parallel_workers = 2)" 'ANALYZE pgfit_app.many'
parallel=('SET parallel_setup_cost = 0' 'SET parallel_tuple_cost = 0' 'SET min_parallel_table_scan_size = 0' 'SET parallel_leader_participation = off')
many="SELECT count(*) FROM pgfit_app.many WHERE pgfit.predict((SELECT m FROM inbox WHERE kind = 'knn'), word) IS NOT NULL"
matches "$(as postgres "${parallel[@]}" "EXPLAIN $many")" 'Workers Planned' 'a score in parallel workers'
refused 'is refused' postgres "${parallel[@]}" "$many"

# ---- types ----
prepare postgres "
    CREATE FUNCTION public.gap(a pgfit_planter.noted, b pgfit_planter.noted) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(a) - length(b))::float8';
    CREATE FUNCTION public.gap(a pgfit_planter.noted[], b pgfit_planter.noted[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(cardinality(a) - cardinality(b))::float8';
    CREATE TYPE public.tagged AS (x text, tag pgfit_planter.noted);
    CREATE TYPE public.nested AS (n int, t public.tagged[]);
    CREATE FUNCTION public.gap(a public.tagged, b public.tagged) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(a.x) - length(b.x))::float8';
    CREATE FUNCTION public.gap(a public.nested, b public.nested) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(a.n - b.n)::float8';
    CREATE FUNCTION public.gap(a pgfit_planter.noted_range, b pgfit_planter.noted_range) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(lower(a)) - length(lower(b)))::float8';
    CREATE FUNCTION public.gap(a pgfit_planter.words, b pgfit_planter.words) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(a.id - b.id)::float8'"
# forged TYPE VALUE: a statement that scores by a model over this metric, made from one that the planter could make
forged() {
    echo "SELECT pgfit.predict(jsonb_set(jsonb_set(m::text::jsonb, '{arrays,metric_function,text,0}', to_jsonb('public.gap($1,$1)'::text)), '{arrays,texts,text}',
          (SELECT jsonb_agg('$2'::text) FROM generate_series(1, jsonb_array_length(m::text::jsonb #> '{arrays,texts,text}'))))::text::pgfit.model, '$2'::text) FROM inbox WHERE kind = 'knn'"
}
refused 'a metric of a domain' postgres "$(forged pgfit_planter.noted a)"
refused 'of an array of a domain' postgres "$(forged 'pgfit_planter.noted[]' '{a}')"
refused 'of rows with a column of a domain' postgres "$(forged public.tagged '(a,b)')"
refused 'of rows with arrays of such rows' postgres "$(forged public.nested '(1,"{""(a,b)""}")')"
refused 'of ranges of a domain' postgres "$(forged pgfit_planter.noted_range '[a,b]')"
refused 'of rows of a table of somebody else' postgres "$(forged pgfit_planter.words '(1,a,t,"[1,2)")')"
prepare postgres "CREATE TABLE public.own_model AS SELECT pgfit.knn_classifier(i % 2 = 0, i::float8, '{\"k\": 1}') AS labels, pgfit.neighbors(i, i::float8, '{}') AS ids FROM generate_series(1, 9) AS i; GRANT SELECT ON public.own_model TO PUBLIC"
prepare pgfit_planter 'CREATE TABLE pgfit_planter.kinds (kind pgfit_planter.noted); INSERT INTO pgfit_planter.kinds VALUES (NULL); GRANT SELECT ON pgfit_planter.kinds TO PUBLIC'
refused 'labels in the type of a column of the planter' postgres 'SELECT pgfit.classify(labels, 3.0::float8, kind) FROM own_model, pgfit_planter.kinds'
refused 'ids in it' postgres 'SELECT n.id FROM own_model, pgfit_planter.kinds, pgfit.nearest(ids, 3.0::float8, 2, kind) AS n'
for type in public.tagged public.nested 'public.tagged[]'; do
    refused "labels in a type of a superuser that has a domain of the planter: $type" postgres "SELECT pgfit.classify(pgfit.knn_classifier(CASE WHEN even THEN '(a,b)' ELSE '(1,\"{\"\"(a,b)\"\"}\")' END, id, '{\"k\": 1}'), 2.0::float8, NULL::$type) FROM pgfit_planter.words"
done
prepare pgfit_app 'CREATE DOMAIN pgfit_app.label AS text CHECK (length(VALUE) > 2)'
is "$(as pgfit_app 'SELECT pgfit.classify(labels, 3.0::float8, NULL::pgfit_app.label) FROM public.own_model')" false 'labels in a domain of the caller'
refused 'features through a cast of the planter' postgres 'SELECT pgfit.kmeans(span, 2) FROM pgfit_planter.words'
refused 'features of rows through such a cast' postgres "SELECT pgfit.kmeans(w, 2, '{\"features\": [\"span\"]}') FROM pgfit_planter.words AS w"
prepare pgfit_planter "
    CREATE DOMAIN pgfit_planter.noted_time AS timestamptz CHECK (pgfit_planter.note());
    CREATE DOMAIN pgfit_planter.noted_int AS int CHECK (pgfit_planter.note());
    CREATE TYPE pgfit_planter.whole AS (x int, y pgfit_planter.noted_int);
    CREATE TYPE pgfit_planter.whole_range AS RANGE (subtype = pgfit_planter.noted_int);
    CREATE TABLE pgfit_planter.lists AS SELECT i % 3 AS y, ARRAY[i, i * i % 7]::pgfit_planter.noted_int[] AS list, CASE WHEN i % 5 > 0 THEN i END AS gaps FROM generate_series(1, 40) AS i;
    CREATE TYPE pgfit_planter.mood AS ENUM ('sad', 'glad');
    CREATE TABLE pgfit_planter.moods AS SELECT i AS x, CASE WHEN i % 2 = 0 THEN 'sad' ELSE 'glad' END::pgfit_planter.mood AS mood FROM generate_series(1, 40) AS i;
    CREATE TABLE pgfit_planter.times AS SELECT i AS x, i % 3 AS y, (timestamptz '2024-01-01' + i * interval '1 day')::pgfit_planter.noted_time AS at FROM generate_series(1, 40) AS i;
    CREATE TABLE pgfit_planter.rows AS SELECT i AS x, i % 3 AS y FROM generate_series(1, 40) AS i;
    CREATE FUNCTION pgfit_planter.text_of(pgfit_planter.rows) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pgfit_planter.note(); RETURN ''x''; END';
    CREATE CAST (pgfit_planter.rows AS text) WITH FUNCTION pgfit_planter.text_of(pgfit_planter.rows);
    GRANT SELECT ON ALL TABLES IN SCHEMA pgfit_planter TO PUBLIC"
unharmed '1' 'training by times of a domain' postgres "SELECT version FROM pgfit.train('times', 'linear_regression', 'pgfit_planter.times', 'y ~ x', '{\"holdout\": {\"time\": \"at\"}}')"
for column in 'ROW(i, i)::pgfit_planter.whole' 'pgfit_planter.whole_range(i, i + 1)' 'ARRAY[i, i]::pgfit_planter.noted_int[]'; do
    prepare pgfit_planter "DROP TABLE IF EXISTS pgfit_planter.cut; CREATE TABLE pgfit_planter.cut AS SELECT i AS x, i % 3 AS y, $column AS at FROM generate_series(1, 40) AS i; GRANT SELECT ON pgfit_planter.cut TO PUBLIC"
    unharmed 'ERROR:  22023' "but not by those of a type that is made of domains: $column" postgres "SELECT version FROM pgfit.train('cut', 'linear_regression', 'pgfit_planter.cut', 'y ~ x', '{\"holdout\": {\"time\": \"at\"}}')"
done
unharmed $'1|1\n32' 'comparing on the rows that both models score, with an array of a domain' postgres "SELECT a.version, b.version FROM pgfit.train('a list', 'linear_regression', 'pgfit_planter.lists', 'y ~ list', '{\"holdout\": false}') AS a,
    pgfit.train('gaps', 'linear_regression', 'pgfit_planter.lists', 'y ~ gaps', '{\"holdout\": false}') AS b" "SELECT rows FROM pgfit.compare('a list', 'gaps', 'pgfit_planter.lists', '{\"folds\": 3}')"
# casts of the planter's types to whatever a query could want, which their owner may also make between a check and the query
casts=
for target in text float8 int4 int8 boolean 'float8[]' 'text[]' jsonb pgfit.model; do
    casts+="CREATE FUNCTION pgfit_planter.\"to $target\"(pgfit_planter.mood) RETURNS $target LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pgfit_planter.note(); RETURN NULL; END';
        CREATE CAST (pgfit_planter.mood AS $target) WITH FUNCTION pgfit_planter.\"to $target\"(pgfit_planter.mood) AS IMPLICIT;"
done
prepare postgres "CREATE TABLE public.moods AS SELECT x, x % 7 AS y, CASE WHEN x % 6 > 0 THEN x % 11 END AS z, (x % 3 + 1)::float8 AS w, mood, CASE WHEN x % 9 > 0 THEN ARRAY[x, x * x % 7]::pgfit_planter.noted_int[] END AS list,
    (CASE WHEN sin(x) > 0 THEN 'glad' ELSE 'sad' END)::pgfit_planter.mood AS other FROM pgfit_planter.moods"
runs=$(planted_runs)
prepare pgfit_planter "$casts
    CREATE FUNCTION pgfit_planter.bases_of(pgfit_planter.noted_int[]) RETURNS int[] LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pgfit_planter.note(); RETURN ''{1,2}''; END';
    CREATE CAST (pgfit_planter.noted_int[] AS int[]) WITH FUNCTION pgfit_planter.bases_of(pgfit_planter.noted_int[]) AS IMPLICIT"
# silent WANTED WHAT STATEMENT...: they print this, and no cast of the types of the table ran
silent() { unharmed "$1" "$2, and no cast runs" postgres "${@:3}"; }
silent 1 'labels are judged by a hold-out' "SELECT version FROM pgfit.train('moods', 'logistic_regression', 'moods', 'mood ~ x + y', '{\"lambda\": 1, \"holdout\": {\"fraction\": 0.5}, \"metrics\": \"log_loss\"}')"
silent 2 'by folds and against the active version' "SELECT version FROM pgfit.train('moods', 'logistic_regression', 'moods', 'mood ~ x + y + other', '{\"lambda\": 1, \"holdout\": {\"folds\": 3}, \"promote\": \"if_better\", \"metrics\": \"roc_auc\"}')"
silent 3 'by a key' "SELECT version FROM pgfit.train('moods', 'knn_classifier', 'moods', 'other ~ x + mood', '{\"holdout\": {\"fraction\": 0.5, \"key\": \"y\"}, \"k\": 3, \"promote\": \"never\"}')"
silent 'ERROR:  42725' 'nothing is chosen between operators for a time' "SELECT version FROM pgfit.train('moods', 'tree_classifier', 'moods', 'other ~ x', '{\"holdout\": {\"time\": \"mood\", \"after\": \"sad\"}, \"weight\": \"w\", \"promote\": \"never\"}')"
silent 1 'another model' "SELECT version FROM pgfit.train('other moods', 'tree_classifier', 'moods', 'mood ~ y + z', '{\"holdout\": {\"fraction\": 0.5}}')"
for options in '' '"metrics": "log_loss"' '"folds": 3' '"folds": 3, "group_column": "y"'; do
    silent t "models are compared by {$options}" "SELECT rows > 0 FROM pgfit.compare('moods', 'other moods', 'moods', '{\"target\": \"mood\"}'::jsonb || '{$options}')"
done
silent 'ERROR:  42804' 'an enum is no number' "SELECT c.rows FROM (SELECT pgfit.linear_regression(y, x) AS a FROM moods) AS m, pgfit.compare(a, a, 'moods', '{\"target\": \"mood\"}') AS c"
silent 'ERROR:  42804' 'nor a weight' "SELECT pgfit.fit('linear_regression', 'moods', 'y ~ x', '{\"weight\": \"mood\"}')"
silent 2 'options are searched for' "SELECT count(*) FROM pgfit.search('logistic_regression', 'moods', 'mood ~ x + other + z', '{\"lambda\": [1, 10]}', '{\"group_column\": \"y\"}')"
silent 3 'in nested folds, on rows without NULL' "SELECT count(*) FROM pgfit.search('tree_classifier', 'moods', 'mood ~', '{\"formula\": [\"x + other\", \"y + z + list\"]}', '{\"nested\": 2}')"
silent t 'methods are tried' "SELECT count(*) > 5 FROM pgfit.automl('(SELECT x, y, z, mood, other, list FROM moods)', 'mood')"
for method in '"logistic_regression"' '"svm_classifier", "loss": "squared_hinge"'; do
    silent t "$method is fitted by passes" "SELECT pgfit.fit(o ->> 'method', 'moods', 'mood ~ x + w', o - 'method' || '{\"passes\": {\"sample\": 20}}') IS NOT NULL FROM (SELECT '{\"method\": $method}'::jsonb AS o) AS o"
done
silent t 'a mixture is fitted to a sample' "SELECT pgfit.fit('gaussian_mixture', 'pgfit_planter.rows', '~ x + y', '{\"passes\": {\"sample\": 20}, \"k\": 2}') IS NOT NULL"
silent t 'drift is found' "SELECT count(*) > 1 FROM pgfit.drift(pgfit.get_model('moods'), 'moods')"
silent t 'columns are summarized' "SELECT pgfit.feature_summary(m) IS NOT NULL FROM (SELECT x, mood, other FROM moods) AS m"
silent t 'methods are judged in folds' "SELECT count(*) > 1 FROM unnest((SELECT pgfit.cross_validate(mood, m, 'tree_classifier') FROM moods AS m))"
prepare postgres "CREATE TABLE pgfit_app.forgeries (m pgfit.model)" "INSERT INTO pgfit_app.forgeries SELECT pgfit.ensemble(f, f) FROM ($(forged public.tagged '(a,b)' | sed 's/SELECT pgfit.predict(/SELECT /; s/::pgfit.model, .* FROM/::pgfit.model AS f FROM/')) AS forged"
unharmed '1' 'a model inside a model is read without reading its values' postgres 'SELECT count(*) FROM pgfit_app.forgeries WHERE m::text::pgfit.model::text = m::text'
unharmed 'ERROR:  22P02' 'a function without its schema is no part of a model' postgres "$(forged public.tagged '(a,b)' | sed 's/public.gap(/gap(/')"

# ---- a restore ----
prepare postgres 'ALTER TABLE public.moods DROP COLUMN list'
prepare pgfit_planter "DROP TABLE pgfit_planter.times, pgfit_planter.kinds, pgfit_planter.cut, pgfit_planter.lists" # PostgreSQL itself runs the checks of their domains in a restore
pg_dump -f "$PGFIT_SCRATCH/values.dump" -d pgfit_values
PGDATABASE=postgres sql 'DROP DATABASE IF EXISTS pgfit_restored' 2>/dev/null
PGDATABASE=postgres sql 'CREATE DATABASE pgfit_restored' || exit 1
psql -X -q -d pgfit_restored -f "$PGFIT_SCRATCH/values.dump" >"$PGFIT_SCRATCH/values.restored" 2>&1
is "$(($(planted_runs) - runs)) runs" '0 runs' 'a superuser restores the dump, and nothing planted runs'
is "$(PGDATABASE=pgfit_restored sql 'SELECT (SELECT count(*) FROM public.inbox) + (SELECT count(*) FROM pgfit_app.forgeries)')" 6 'with the models'
runs=$(planted_runs)

# ---- what is trusted ----
prepare postgres "
    CREATE FUNCTION public.metric(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN abs(length(a) - length(b)); END';
    CREATE FUNCTION public.stable(a text, b text) RETURNS float8 LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN abs(length(a) - length(b)); END';
    CREATE FUNCTION public.volatile(a text, b text) RETURNS float8 LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN RETURN abs(length(a) - length(b)); END'"
prepare pgfit_other "
    CREATE FUNCTION pgfit_other.metric(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN abs(length(a) - length(b)); END';
    CREATE FUNCTION pgfit_other.noted(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN PERFORM pgfit_planter.note(); RETURN 1; END'"
prepare pgfit_app "CREATE FUNCTION pgfit_app.scores() RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
    'SELECT pgfit.predict(m, ''aaa''::text) FROM public.inbox WHERE kind = ''other'''"
# by FUNCTION: a statement that scores by a model of this metric
by() {
    echo "SELECT pgfit.predict(jsonb_set(m::text::jsonb, '{arrays,metric_function,text,0}', to_jsonb('$1'::text))::text::pgfit.model, 'aaa'::text) FROM inbox WHERE kind = 'knn'"
}
list() { echo "SET pgfit.trusted_functions = '$1'"; }
prepare postgres "INSERT INTO inbox $(by 'pgfit_other.metric(text,text)' | sed "s/SELECT pgfit.predict(/SELECT 'other', (/; s/, 'aaa'::text) FROM/) FROM/")"
score="SELECT pgfit.predict(m, 'aaa'::text) FROM inbox WHERE kind = 'other'"
is "$(as pgfit_other "$score")" 2.5 'a function runs for its owner'
is "$(as pgfit_app "$(by 'public.metric(text,text)')")" 2.5 'that of a superuser runs for everybody'
is "$(as pgfit_app "$(by 'pgfit.edit_distance(text,text)')")" 2.5 'so do those of an extension'
refused 'that of somebody else does not' pgfit_app "$score"
refused 'nor one of a superuser that is STABLE' pgfit_app "$(by 'public.stable(text,text)')"
is "$(as pgfit_app "$(list 'pgfit_other.metric(text,text), public.stable(text, text)')" "$score" "$(by 'public.stable(text,text)')" | tr '\n' ' ')" '2.5 2.5 ' 'listed ones run'
is "$(as pgfit_app "$(list 'public.volatile(text,text)')" "$(by 'public.volatile(text,text)')")" 'ERROR:  22023' 'but none that is VOLATILE'
refused 'a list of another function of that name does not help' pgfit_app "$(list 'pgfit_other.metric(float8,float8)')" "$score"
refused 'nor does one of that name elsewhere' pgfit_app "$(list 'public.metric(text,text)')" "$score"
loaded="SELECT pgfit.predict(m, 'aaa'::text) IS NULL FROM inbox WHERE false"
for wrong in '*' '*.*' 'pgfit_other.*' 'pgfit_other.*(text,text)' 'metric(text,text)' 'pgfit_other.metric' '10:pgfit_other.metric(text,text)x' ',' ',pgfit_other.metric(text,text)' 'a.b.c(text,text)'; do
    is "$(as pgfit_app "$loaded" "$(list "$wrong")")" 'ERROR:  22023' "the list cannot be $wrong"
done
refused 'nor does it help before the library is loaded' pgfit_app "$(list 'pgfit_other.metric(text,text), *')" "$score"

# ---- who set the list ----
other_list=$(list 'pgfit_other.metric(text,text), pgfit_planter.metric(text,text)')
refused 'the list of a caller does not count in a function of somebody else' pgfit_planter "$loaded" "$other_list" 'SELECT pgfit_app.score()'
refused 'nor if it was made before the library was loaded' pgfit_planter "$other_list" 'SELECT pgfit_app.score()'
refused 'nor as an option of the connection' pgfit_planter "SELECT set_config('pgfit.trusted_functions', 'pgfit_planter.metric(text,text)', false) IS NULL" 'SELECT pgfit_app.score()'
PGOPTIONS="-c pgfit.trusted_functions=pgfit_planter.metric(text,text)" refused 'nor as an option of the connection' pgfit_planter 'SELECT pgfit_app.score()'
prepare postgres "ALTER ROLE pgfit_planter SET pgfit.trusted_functions = 'pgfit_planter.metric(text,text)'"
refused 'nor from ALTER ROLE' pgfit_planter 'SELECT pgfit_app.score()'
prepare postgres "ALTER ROLE pgfit_planter RESET ALL"
prepare postgres "ALTER DATABASE pgfit_values SET pgfit.trusted_functions = 'pgfit_planter.metric(text,text)'"
refused 'nor from ALTER DATABASE, whose owner could be anybody' pgfit_planter 'SELECT pgfit_app.score()'
refused 'not even for the user itself' pgfit_app 'SELECT pgfit_app.score()'
prepare postgres "ALTER DATABASE pgfit_values RESET ALL"
is "$(as pgfit_app "$loaded" "$other_list" "$score")" 2.5 'it counts for the role that set it'
is "$(as pgfit_app "$other_list" "$score" "$loaded" "$score" | tr '\n' ' ')" '2.5 2.5 ' 'also if it was set before the library was loaded'
is "$(PGOPTIONS="-c pgfit.trusted_functions=pgfit_other.metric(text,text)" as pgfit_app "$score")" 2.5 'or as an option of its own connection'
prepare pgfit_app "$loaded" "ALTER ROLE pgfit_app SET pgfit.trusted_functions = 'pgfit_other.metric(text,text)'"
is "$(as pgfit_app "$score")" 2.5 'or by ALTER ROLE'
refused 'which counts for that role alone' pgfit_app 'SET ROLE pgfit_app' "$(list 'public.metric(text,text)')" "$score"
is "$(as pgfit_app "$(list '')" 'RESET pgfit.trusted_functions' "$score")" 2.5 'and after RESET'
refused 'in a session of another role it does not count' pgfit_planter "$loaded" 'SELECT pgfit_app.scores()'
prepare postgres "ALTER ROLE pgfit_app RESET ALL"
prepare postgres "ALTER ROLE ALL SET pgfit.trusted_functions = 'pgfit_other.metric(text,text)'"
is "$(as pgfit_app "$score") $(as pgfit_planter 'SELECT pgfit_app.scores()')" '2.5 2.5' 'that of all roles, which a superuser makes, counts for all'
prepare postgres 'ALTER ROLE ALL RESET ALL'
is "$(as postgres "$other_list" 'SET ROLE pgfit_app' "$score")" 2.5 'so does that of a superuser who goes on as another role'
refused 'a role that a superuser takes on does not choose for the superuser' postgres "$loaded" 'SET ROLE pgfit_app' "$other_list" 'RESET ROLE' "$score"
refused 'nor does it before the library is loaded' postgres 'SET ROLE pgfit_app' "$other_list" 'RESET ROLE' "$score"
prepare pgfit_planter "CREATE FUNCTION pgfit_planter.widen() RETURNS text LANGUAGE sql SECURITY DEFINER AS
    'SELECT set_config(''pgfit.trusted_functions'', ''pgfit_planter.metric(text,text)'', false)'"
refused 'a function that sets the list for its caller' postgres "$loaded" 'SELECT pgfit_planter.widen()' "SELECT pgfit.predict(m, 'aaa'::text) FROM inbox WHERE kind = 'knn'"
refused 'and does so before the library is loaded' postgres 'SELECT pgfit_planter.widen()' "SELECT pgfit.predict(m, 'aaa'::text) FROM inbox WHERE kind = 'knn'"
prepare pgfit_app "$loaded" "ALTER FUNCTION pgfit_app.scores() SET pgfit.trusted_functions = 'pgfit_other.metric(text,text)'"
is "$(as pgfit_planter 'SELECT pgfit_app.scores()' 'SELECT pgfit_app.scores()' | tr '\n' ' ')" '2.5 2.5 ' 'the list of a function counts for its owner'
is "$(as pgfit_planter "$(list 'pgfit_planter.metric(text,text)')" "$loaded" 'SELECT pgfit_app.scores()' 'SHOW pgfit.trusted_functions' | tr '\n' ' ')" '2.5 pgfit_planter.metric(text,text) ' 'whatever that of the caller is'
refused 'and ends with the function' pgfit_app 'SELECT pgfit_app.scores()' "$score"
refused 'a list that was rolled back' pgfit_app "$loaded" 'BEGIN' "$other_list" "$score" 'ROLLBACK' "$score"
refused 'a list of a savepoint' pgfit_app "$loaded" 'BEGIN' 'SAVEPOINT a' "$other_list" "$score" 'ROLLBACK TO a' "$score"
refused 'a list of a transaction' pgfit_app "$loaded" 'BEGIN' "${other_list/SET/SET LOCAL}" "$score" 'COMMIT' "$score"
refused 'after a rollback the list is again of the role that set it before' postgres 'SET ROLE pgfit_app' "$loaded" "$other_list" 'RESET ROLE' 'BEGIN' "$other_list" "$score" 'ROLLBACK' "$score"
many="SELECT count(*) FROM pgfit_app.many WHERE pgfit.predict((SELECT m FROM inbox WHERE kind = 'other'), word) IS NOT NULL"
is "$(as pgfit_app "${parallel[@]}" "$other_list" "$many")" 5000 'a list counts in parallel workers'
refused 'for the role that set it' postgres "${parallel[@]}" 'SET ROLE pgfit_app' "$other_list" 'RESET ROLE' "$many"
refused 'in a list of types, names are those of pg_catalog' pgfit_app "CREATE DOMAIN pgfit_app.text AS pg_catalog.text" "SET search_path = pgfit_app, public, pg_catalog" \
    "CREATE FUNCTION pgfit_app.other(a pg_catalog.text, b pg_catalog.text) RETURNS float8 LANGUAGE sql STABLE AS 'SELECT 1.0::float8'" "$(list 'pgfit_app.other(pgfit_app.text,pgfit_app.text)')" "$(by 'pgfit_app.other(text,text)')"

# ---- functions that change under a session ----
# changed STATEMENT [MODEL]: a statement that scores as pgfit_app in a loop, between whose rows a superuser runs another
changed() {
    echo "DO \$\$DECLARE model pgfit.model := (SELECT m FROM public.inbox WHERE kind = '${2:-mine}'); BEGIN
        FOR i IN 1 .. 4 LOOP
            IF i = 3 THEN RESET ROLE; $1; END IF;
            SET LOCAL ROLE pgfit_app; PERFORM pgfit.predict(model, format('(%s)', i)); RESET ROLE;
        END LOOP; END\$\$"
}
prepare pgfit_app "CREATE FUNCTION pgfit_app.mine(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(length(a) - length(b)); END'"
prepare postgres "INSERT INTO inbox SELECT 'mine', (jsonb_set(m::text::jsonb, '{arrays,metric_function,text,0}', '\"pgfit_app.mine(text,text)\"'))::text::pgfit.model FROM inbox WHERE kind = 'knn'"
is "$(as postgres "$(changed "PERFORM 1")")" '' 'a function is called in a loop'
refused 'that now belongs to somebody else' postgres "$(changed 'ALTER FUNCTION pgfit_app.mine(text, text) OWNER TO pgfit_planter')"
refused 'that is now STABLE' postgres "$(changed 'ALTER FUNCTION pgfit_app.mine(text, text) STABLE')"
refused 'that may no longer be called' postgres "$(changed 'REVOKE EXECUTE ON FUNCTION pgfit_app.mine(text, text) FROM PUBLIC, pgfit_app')"
prepare postgres "CREATE ROLE pgfit_super LOGIN SUPERUSER; ALTER FUNCTION pgfit_app.mine(text, text) OWNER TO pgfit_super"
refused 'of a superuser who is none any more' postgres "$(changed 'ALTER ROLE pgfit_super NOSUPERUSER')"
prepare postgres 'ALTER FUNCTION pgfit_app.mine(text, text) OWNER TO pgfit_app' 'DROP ROLE pgfit_super'
prepare pgfit_app "CREATE TYPE pgfit_app.place AS (x text); CREATE FUNCTION pgfit_app.apart(a pgfit_app.place, b pgfit_app.place) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(a.x) - length(b.x))::float8'"
prepare pgfit_app "INSERT INTO inbox SELECT 'rows', pgfit.knn_regression(id, format('(%s)', word), '{\"k\": 2, \"metric\": \"pgfit_app.apart(pgfit_app.place,pgfit_app.place)\"}') FROM pgfit_planter.words"
is "$(as pgfit_app "SELECT pgfit.predict(m, '(aaa)'::text) FROM inbox WHERE kind = 'rows'")" 2.5 'a metric of rows runs for the owner of function and type'
is "$(as postgres "$(list 'pgfit_app.apart(pgfit_app.place,pgfit_app.place)')" "SELECT pgfit.predict(m, '(aaa)'::text) FROM inbox WHERE kind = 'rows'")" 2.5 'and where it is listed'
is "$(as postgres "$(list 'pgfit_app.apart(pgfit_app.place,pgfit_app.place)')" "DO \$\$DECLARE model pgfit.model := (SELECT m FROM inbox WHERE kind = 'rows'); g float8; kept bigint; BEGIN
    FOR i IN 1 .. 100 LOOP CREATE TEMP TABLE passing (x int); DROP TABLE passing; g := pgfit.predict(model, '(aaa)'::text); END LOOP;
    SELECT count(*) INTO kept FROM pg_backend_memory_contexts WHERE name = 'SQL function'; IF kept > 10 THEN RAISE EXCEPTION '% are kept', kept; END IF; END\$\$")" '' \
    'a function that is looked up again and again keeps its memory once'
refused 'one of rows that now have a column of a domain' postgres "$(changed 'ALTER TYPE pgfit_app.place ADD ATTRIBUTE y pgfit_planter.noted' rows)"
refused 'one of rows of a type that now belongs to somebody else' postgres "$(changed 'ALTER TYPE pgfit_app.place OWNER TO pgfit_planter' rows)"
# a path without the user's schema, or its plans are made anew for each role
refused 'a type of the result that is kept in a loop' postgres 'SET search_path = public' "DO \$\$DECLARE m pgfit.model := (SELECT pgfit.nearest_centroid(CASE WHEN even THEN '(a,b)' ELSE '(c,d)' END, id) FROM pgfit_planter.words); g text; BEGIN
    FOR i IN 1 .. 4 LOOP IF i = 1 THEN SET LOCAL ROLE pgfit_planter; ELSIF i = 3 THEN RESET ROLE; END IF; g := pgfit.classify(m, i, NULL::pgfit_planter.pair); END LOOP; END\$\$"
refused 'a cast that is kept in a loop' postgres 'SET search_path = public' "DO \$\$DECLARE f pgfit_planter.span := '[1,4)'; g float8; BEGIN
    FOR i IN 1 .. 4 LOOP IF i = 1 THEN SET LOCAL ROLE pgfit_planter; ELSIF i = 3 THEN RESET ROLE; END IF; g := pgfit.squared_euclidean_distance(f, f); END LOOP; END\$\$"
is "$(as postgres "$(list 'pgfit_planter.array_of(pgfit_planter.span)')" 'SELECT pgfit.kmeans(span, 2) IS NOT NULL FROM pgfit_planter.words') $(($(planted_runs) - runs))" 't 9' 'a cast that is listed runs'
