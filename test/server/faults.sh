#!/bin/bash
# Every call for memory fails once, one after another, in the example of each estimator and in calls over stored models; so does every write to and
# read from a temporary file. Each time the statement fails with the error of the server and nothing else, its next run gives the same rows as the
# first one, and memory that outlives the statement does not grow. FULL=1 lets every call fail; else a statement with many is sampled evenly.
. "$(dirname "$0")/lib.sh"
config=$(find_pg_config)
library=$PGFIT_SCRATCH/faults.so
${CC:-cc} -O2 -shared -fPIC -I"$("$config" --includedir-server)" "$repo/test/server/faults.c" -o "$library" || exit 1
fresh_database pgfit_faults || exit 1
as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -m fast -w stop >/dev/null &&
    as_server env LD_PRELOAD="$library" "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -l "$PGFIT_LOG" -o "-k '$PGHOST'" -w start >/dev/null || exit 1
if [ "${FULL:-}" = 1 ]; then most=1000000 cold_step=1; else most=30 cold_step=7; fi

sql "
CREATE FUNCTION fault_begin(int, bigint) RETURNS void LANGUAGE c AS '$library';
CREATE FUNCTION fault_end() RETURNS boolean LANGUAGE c AS '$library';
CREATE FUNCTION lasting_bytes() RETURNS bigint LANGUAGE sql VOLATILE AS
    \$\$ SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts \$\$;
CREATE FUNCTION result_of(statement text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT hashtextextended(string_agg(x::text, chr(10)), 0)::text FROM (%s) AS x', statement) INTO result;
    RETURN result;
END \$\$;
-- Runs a statement whose n-th call fails: how it ends, and whether there was such a call.
CREATE FUNCTION result_with_fault(statement text, kind int, n bigint, OUT result text, OUT failed boolean) LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM fault_begin(kind, n);
    result := result_of(statement);
    failed := fault_end();
EXCEPTION WHEN OTHERS THEN
    failed := fault_end();
    result := SQLSTATE || ' ' || SQLERRM;
END \$\$;
-- Lets calls of a kind fail, one after another: how many did, and what was wrong.
CREATE FUNCTION try_faults(statement text, kind int, most bigint, OUT faults bigint, OUT calls bigint, OUT wrong text) LANGUAGE plpgsql AS \$\$
DECLARE
    first text;
    state text := ('{53200,53100,58030}'::text[])[kind]; -- out of memory, disk full, I/O error
    step bigint := 1;
    n bigint := 0;
    got record;
    bytes bigint;
BEGIN
    faults := 0;
    calls := 0;
    FOR budget IN 4..24 LOOP -- the least fit_mem that suffices, so that rows go to temporary files
        BEGIN
            PERFORM kind = 1 OR set_config('pgfit.fit_mem', (1 << budget) || 'kB', false) IS NOT NULL;
            first := result_of(statement);
            EXIT;
        EXCEPTION WHEN program_limit_exceeded THEN
        END;
    END LOOP;
    LOOP -- doubling finds how many calls there are
        SELECT * INTO got FROM result_with_fault(statement, kind, greatest(1, 2 * calls));
        EXIT WHEN NOT got.failed;
        calls := greatest(1, 2 * calls);
    END LOOP;
    step := greatest(1, 2 * calls / most);
    LOOP
        n := n + step;
        SELECT * INTO got FROM result_with_fault(statement, kind, n);
        EXIT WHEN NOT got.failed;
        calls := n;
        faults := faults + 1;
        bytes := coalesce(bytes, lasting_bytes());
        IF got.result IS DISTINCT FROM first AND left(got.result, 5) <> state THEN
            wrong := format('call %s: %s', n, got.result);
            RETURN;
        END IF;
        IF result_of(statement) IS DISTINCT FROM first THEN
            wrong := format('after the failure of call %s the result is another', n);
            RETURN;
        END IF;
    END LOOP;
    IF lasting_bytes() - bytes > 100000 THEN
        wrong := format('%s bytes of memory remain', lasting_bytes() - bytes);
    END IF;
END \$\$;

CREATE TABLE rows AS SELECT i AS id, i % 97 + 3 * sin(i) AS a, i % 89 + cos(i) AS b, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS k,
    2 * (i % 97) - i % 89 + sin(i * i) AS y, i % 97 > i % 89 AS flag, 1 + i % 3 AS count FROM generate_series(1, 300) AS i;
ANALYZE rows;
CREATE TABLE statements (id serial, name text, statement text);
INSERT INTO statements (name, statement)
    SELECT name, (SELECT string_agg(line, chr(10) ORDER BY number)
        FROM pgfit.help(name) WITH ORDINALITY AS h(line, number) WHERE number > heading) FROM (
            SELECT name, (SELECT number FROM pgfit.help(name) WITH ORDINALITY AS h(line, number) WHERE line ~ '^An example') AS heading
            FROM pgfit.estimators()) AS e;
UPDATE statements SET statement = regexp_replace(statement, ';\s*\$', '');
" || exit 1
# not search: it calls a function that has a SET clause, and the server ends a session (FATAL) that has no memory for the setting
cat >"$PGFIT_SCRATCH/calls.sql" <<'SQL'
CREATE TABLE models AS SELECT
    (SELECT pgfit.linear_regression(y, r, 'y ~ a + b + k') FROM rows AS r) AS linear,
    (SELECT pgfit.logistic_regression(flag, r, 'flag ~ a + b + k') FROM rows AS r) AS logistic,
    (SELECT pgfit.forest_classifier(k, r, '{"features": ["a", "b"], "n_trees": 5}') FROM rows AS r) AS forest,
    (SELECT pgfit.boosted_trees_regression(y, r, '{"features": ["a", "b", "k"], "n_trees": 5}') FROM rows AS r) AS boosted,
    (SELECT pgfit.knn_classifier(k, r, 3, '{"features": ["a", "b"]}') FROM rows AS r) AS neighbors,
    (SELECT pgfit.kmeans(r, 3, '{"features": ["a", "b"]}') FROM rows AS r) AS clusters,
    (SELECT pgfit.pca(r, 2, '{"features": ["a", "b"]}') FROM rows AS r) AS components;
SELECT pgfit.train('kept', 'linear_regression', 'rows', 'y ~ a + b') IS NOT NULL;
INSERT INTO statements (name, statement) VALUES
    ('predict', 'SELECT pgfit.predict(linear, r) FROM models, rows AS r'),
    ('predict by name', 'SELECT pgfit.predict(''kept'', r) FROM rows AS r'),
    ('classify', 'SELECT pgfit.classify(forest, r) FROM models, rows AS r'),
    ('probability', 'SELECT pgfit.probability(logistic, r) FROM models, rows AS r'),
    ('explain', 'SELECT pgfit.explain(boosted, r) FROM models, rows AS r WHERE id < 20'),
    ('nearest', 'SELECT pgfit.nearest(neighbors, r, 3) FROM models, rows AS r WHERE id < 20'),
    ('cluster', 'SELECT pgfit.cluster(clusters, r) FROM models, rows AS r'),
    ('summary', 'SELECT pgfit.summary(linear) FROM models'),
    ('info', 'SELECT pgfit.info(m) FROM models, LATERAL (VALUES (linear), (forest), (boosted), (clusters)) AS v(m)'),
    ('text of a model', 'SELECT forest::text::pgfit.model::text FROM models'),
    ('export as json', 'SELECT pgfit.export_model(boosted, ''xgboost'') FROM models'),
    ('export as pmml', 'SELECT pgfit.export_model(logistic, ''pmml'') FROM models'),
    ('export as python', 'SELECT pgfit.export_model(forest, ''python'') FROM models'),
    ('import', 'SELECT pgfit.predict(pgfit.import_model(pgfit.export_model(boosted, ''xgboost''), ''xgboost''), ROW(1, 2, ''x'')) FROM models'),
    ('to_sql', 'SELECT pgfit.to_sql(logistic) FROM models'),
    ('report', 'SELECT length(pgfit.report(linear, ''rows'')) FROM models'),
    ('plot', 'SELECT pgfit.plot(linear) FROM models'),
    ('evaluate', 'SELECT pgfit.evaluate(''linear_regression'', ''rows'', ''y ~ a + b'')'),
    ('cross_validate', 'SELECT pgfit.cross_validate(k, r, ''tree_classifier'', ''{"options": {"features": ["a", "b"]}}'') FROM rows AS r'),
    ('permutation_importance', 'SELECT pgfit.permutation_importance(linear, ''rows'', ''y'') FROM models'),
    ('roc_auc', 'SELECT pgfit.roc_auc(flag, a) FROM rows'),
    ('t_test', 'SELECT pgfit.t_test(a, flag) FROM rows'),
    ('groups', 'SELECT k, pgfit.linear_regression(y, ARRAY[a, b]) FROM rows GROUP BY k ORDER BY k');
SQL
psql -X -q -A -t -v ON_ERROR_STOP=1 -f "$PGFIT_SCRATCH/calls.sql" >/dev/null || exit 1

# each SETTINGS KIND WHAT: lets calls fail in every statement, each in a session of its own
each() {
    local id name got faults=0 calls=0 wrong=
    until sql 'SELECT 1' >/dev/null 2>&1; do sleep 1; done
    while IFS='|' read -r id name; do
        got=$(sql "SET max_parallel_workers_per_gather = 0; SET jit = off; $1
            SELECT faults, calls, wrong FROM statements, LATERAL try_faults(statement, $2, $most) WHERE id = $id" 2>&1)
        if [[ $got =~ ^([0-9]+)\|([0-9]+)\|$ ]]; then
            faults=$((faults + BASH_REMATCH[1])) calls=$((calls + BASH_REMATCH[2]))
        else
            wrong+="$name: ${got:0:300}; "
            until sql 'SELECT 1' >/dev/null 2>&1; do sleep 1; done # after a crash
        fi
    done < <(sql "SELECT id, name FROM statements ORDER BY id")
    is "$wrong" "" "$3: $faults failures of $calls calls end cleanly"
    [ "$faults" -gt 0 ]
    ok $? "$3 failed"
}

# cold NAME: lets calls for memory fail in a statement that is the first of its session: nothing is in a cache, and OpenBLAS has no buffer
cold() {
    local first got n=0 faults=0 wrong= settings="SET max_parallel_workers_per_gather = 0; SET jit = off; SET pgfit.fit_mem = '1GB';"
    first=$(sql "SELECT result_of(statement) FROM statements WHERE name = '$1'")
    while n=$((n + cold_step)); do
        got=$(sql "$settings SELECT failed, result FROM statements, LATERAL result_with_fault(statement, 1, $n) WHERE name = '$1'" 2>&1)
        [[ $got != f\|* ]] || break
        faults=$((faults + 1))
        [[ $got == "t|$first" || $got == "t|53200 "* || $got == 't|58P01 could not load library'* ]] || { wrong="call $n: ${got:0:300}" && break; }
    done
    is "$wrong" "" "$1 in new sessions: $faults failures end cleanly"
    [ "$faults" -gt 0 ]
    ok $? "$1 in new sessions failed"
}
is "$(sql "SELECT count(*) > 60 AND count(statement) = count(*) FROM statements")" t "every estimator has an example"
each "" 1 "requests for memory"
for name in linear_regression kernel_pca svm_classifier 'predict by name' import; do cold "$name"; done
is "$(sql "SET max_parallel_workers_per_gather = 0; SELECT count(*), count(*) FILTER (WHERE failed AND left(result, 5) = '53200')
    FROM generate_series(1, 1000) AS i, statements, LATERAL result_with_fault(statement, 4, i) WHERE name = 'kernel_pca';
    SELECT result_of(statement) IS NOT NULL FROM statements WHERE name = 'kernel_pca'" | tr '\n' ' ')" '1000|1000 t ' \
    "OpenBLAS gets no buffer a thousand times in one session, and then works"
small="SET work_mem = '64kB';"
each "$small" 2 "writes of temporary files"
each "$small" 3 "reads of temporary files"
is "$(temporary_files)" 0 "no temporary file is left"
is "$(grep -E 'PANIC|terminated by signal' "$PGFIT_LOG")" "" "no process of the server died"
