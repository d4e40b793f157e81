#!/bin/bash
# What a role sees of the models of others: granted to score it gets scores and metrics, and no row that they were trained on; granted to read also the
# models themselves, their sources and queries. Every function of a name is tried on models that keep rows.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_registry_rights || exit 1
roles='pgfit_maker pgfit_scorer pgfit_reader'
for role in $roles; do sql "CREATE ROLE $role LOGIN" || exit 1; done
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_registry_rights WITH (FORCE)" -c "DROP ROLE IF EXISTS ${roles// /, }" 2>/dev/null' EXIT
as() { # as ROLE STATEMENT...: prints the rows, or the SQLSTATE of errors, in one line
    local role=$1 statements=()
    shift
    for statement in "$@"; do statements+=(-c "$statement"); done
    psql -X -q -A -t -v VERBOSITY=sqlstate -U "$role" -c "SET client_min_messages = error" "${statements[@]}" 2>&1 | tr '\n' ' ' | sed 's/ $//'
}
# the seventh row, its id and the last of the levels are known to the maker alone
sql "CREATE TABLE stone AS SELECT 'stone ' || CASE i WHEN 7 THEN 'secret' ELSE i::text END AS id, CASE i WHEN 7 THEN 7654321.25 ELSE i % 40 / 10.0 END::float8 AS carat, sin(i)::float8 AS depth,
            CASE WHEN i = 60 THEN 'hidden' ELSE 'l' || i % 3 END AS cut, i % 2 = 0 AS sold, 100.0 * (i % 40) + i % 7 AS price FROM generate_series(1, 60) AS i;
     GRANT SELECT ON stone TO pgfit_maker;
     CREATE FUNCTION answer(statement text) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE found text;
     BEGIN
         EXECUTE 'SELECT coalesce(string_agg(q::text, '' ''), '''') FROM (' || statement || ') AS q' INTO found;
         RETURN 'answers ' || found;
     EXCEPTION WHEN OTHERS THEN
         RETURN SQLSTATE || ' ' || SQLERRM;
     END \$\$" || exit 1
as pgfit_maker "SELECT count(*) FROM (VALUES
    ('knn_classifier', 'sold ~ carat + depth', '{}'), ('knn_regression', 'price ~ carat + depth', '{}'), ('neighbors', '~ carat + depth', '{\"id\": \"id\"}'),
    ('local_outlier_factor', '~ carat + depth', '{\"id\": \"id\"}'), ('dbscan', '~ carat + depth', '{\"id\": \"id\", \"radius\": 1}'), ('kmedoids', '~ carat + depth', '{\"k\": 3}'),
    ('kmeans', '~ carat + depth', '{\"k\": 3}'), ('gaussian_mixture', '~ carat + depth', '{\"k\": 2}'), ('nearest_exemplar', 'sold ~ carat + depth', '{\"exemplar\": \"medoid\"}'),
    ('svm_classifier', 'sold ~ carat + depth', '{\"kernel\": \"rbf\", \"standardize\": true}'), ('kernel_ridge', 'price ~ carat + depth', '{}'),
    ('kernel_pca', '~ carat + depth', '{\"k\": 2}'), ('one_class_svm', '~ carat + depth', '{\"standardize\": true}'), ('isolation_forest', '~ carat + depth', '{\"n_trees\": 5}'),
    ('tree_regression', 'price ~ carat + depth', '{}'), ('linear_regression', 'price ~ carat + cut', '{}'), ('logistic_regression', 'sold ~ depth + cut', '{\"lambda\": 1}'),
    ('multivariate_normal', '~ carat + depth', '{}'), ('pca', '~ carat + depth', '{}'), ('standard_scaler', '~ carat + depth', '{}'), ('one_hot', '~ cut', '{}')) AS m (estimator, formula, options),
    pgfit.train('the ' || estimator, estimator, 'public.stone', formula, options::jsonb || '{\"holdout\": false}')" >/dev/null
is "$(as pgfit_maker "SELECT count(*) FROM pgfit.history() WHERE active" "SELECT count(*) FROM pgfit.model_names, pgfit.grant_model(name, 'pgfit_scorer')" "SELECT count(*) FROM pgfit.model_names, pgfit.grant_model(name, 'pgfit_reader', 'read')")" \
    '21 21 21' 'models that keep rows, granted to one role to score, to another to read'

# ---- every function of a name, on every model ----

calls="CREATE TEMP TABLE tried AS
    SELECT m.name, p.proname, answer(format('SELECT pgfit.%I(%L%s) FROM (SELECT 1.5::float8 AS carat, 0.5::float8 AS depth, ''l1'' AS cut) AS d', proname, m.name,
        (SELECT string_agg(CASE WHEN t = '\"any\"'::regtype THEN CASE i WHEN 2 THEN ', d' ELSE ', true' END WHEN t = 'anyelement'::regtype THEN ', NULL::text' WHEN t = 'float8'::regtype THEN ', 0.5'
                WHEN t IN ('jsonb'::regtype, 'pgfit.call_options'::regtype) THEN ', ''{}''::jsonb' WHEN t = 'pgfit.model'::regtype THEN ', (SELECT pgfit.linear_regression(1.0 * i, 2.0 * i) FROM generate_series(1, 5) AS i)' WHEN t = 'bigint'::regtype THEN ', 60' WHEN t = 'int'::regtype THEN ', 1'
                WHEN proname = 'compare' AND i = 2 THEN ', ' || quote_literal(m.name) WHEN proname = 'compare' THEN ', ''SELECT 1.5 AS carat, 0.5 AS depth, ''''l1'''' AS cut, true AS sold, 1 AS price'''
                WHEN proargnames[i] = 'source' THEN ', ''SELECT 1.5 AS carat, 0.5 AS depth, ''''l1'''' AS cut''' WHEN proargnames[i] = 'estimator' THEN ', ''pca'''
                WHEN proargnames[i] = 'privilege' THEN ', ''read''' ELSE ', current_user' END, '' ORDER BY i)
         FROM unnest(proargtypes[1:pronargs - 1]) WITH ORDINALITY AS a (t, one), LATERAL (SELECT one + 1 AS i) AS second))) AS said
    FROM (SELECT name FROM pgfit.model_names) AS m, pg_proc AS p
    WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proargnames[1] IN ('name', 'name_a') AND p.proargtypes[0] = 'text'::regtype AND p.proname <> 'is_metric'"
which="SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM tried"
is "$(as pgfit_scorer "$calls" "$which WHERE said LIKE 'answers%'")" \
    'classify cluster decision decisions design distance distances explain history predict predict_interval probabilities probability tail_probability transform transform_row' \
    'what answers to a role that may score'
is "$(as pgfit_scorer "$calls" "$which WHERE said LIKE '42501%'")" 'coefficients compare drift drop_model get_model grant_model importance info nearest plot promote put_model reassign_model report revoke_model rollback summary train' 'what is refused to it'
is "$(as pgfit_scorer "$calls" "SELECT count(*) FROM tried WHERE said LIKE 'answers%' AND said ~ '7654321|secret'")" 0 'no answer has anything of a row that was trained on'
is "$(as pgfit_reader "$calls" "$which WHERE said LIKE 'answers%' AND said ~ '7654321|secret'")" 'get_model nearest' 'which those who may read get'
is "$(as pgfit_scorer "$calls" "$which WHERE said LIKE 'answers%' AND said ~ 'hidden'")" transform_row 'levels that the row does not have are named by transform_row alone'
is "$(sql "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND prorettype = 'pgfit.model'::regtype AND proargnames[1] = 'name'") $(sql "SELECT string_agg(c.oid::regclass::text, ' ')
        FROM pg_class AS c JOIN pg_attribute AS a ON attrelid = c.oid WHERE atttypid = 'pgfit.model'::regtype AND relkind IN ('r', 'v', 'm') AND has_table_privilege('pgfit_scorer', c.oid, 'SELECT') AND relnamespace::regnamespace::text LIKE 'pgfit%'")" \
    'get_model pgfit.registry' 'a model comes from this function and this view alone'

# ---- the views ----

rows="SELECT count(*), count(model), count(source), count(formula), count(options), count(query), count(evaluation), count(metrics) FROM pgfit.registry"
as pgfit_maker "SELECT pgfit.train('the linear_regression', 'linear_regression', 'public.stone', 'price ~ carat + depth')" \
    "SELECT pgfit.train('the linear_regression', 'linear_regression', 'public.stone', 'price ~ nosuch', '{\"on_failure\": \"record\"}')" >/dev/null
is "$(as pgfit_scorer "$rows") $(as pgfit_reader "$rows")" '23|0|0|0|0|0|0|22 23|22|23|23|23|22|22|22' 'the view of versions has models, sources and queries for those who may read'
is "$(as pgfit_scorer "SELECT count(message) FROM pgfit.history('the linear_regression') WHERE version = 3") $(as pgfit_reader "SELECT count(message) FROM pgfit.history('the linear_regression') WHERE version = 3")" '0 1' \
    'so has the history messages of failures'
judged="'{\"holdout\": {\"fraction\": 0.5}, \"promote\": \"if_better\", \"options\": {\"unseen\": \"error\"}}')"
as pgfit_maker "SELECT pgfit.train('judged', 'linear_regression', 'SELECT sold::text AS cut, price FROM public.stone', 'price ~ cut', $judged" \
    "SELECT pgfit.train('judged', 'linear_regression', 'SELECT sold || '' hidden'' AS cut, price FROM public.stone', 'price ~ cut', $judged" "SELECT pgfit.grant_model('judged', 'pgfit_scorer')" >/dev/null
quoted="SELECT count(*) FROM pgfit.history('judged') WHERE message LIKE '%level \"% hidden\" of feature%'"
is "$(as pgfit_maker "$quoted") $(as pgfit_scorer "$quoted")" '1 0' 'and those of a version that was not promoted, which quote a row that could not be judged'
as pgfit_maker "SELECT pgfit.drop_model('judged')" >/dev/null
is "$(as pgfit_scorer "SELECT metrics ? 'rmse' FROM pgfit.history('the linear_regression') WHERE version = 2")" t 'metrics are for those who score'
sql "GRANT CREATE ON SCHEMA public TO pgfit_scorer" || exit 1
leak="CREATE FUNCTION pg_temp.leak(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS \$\$ BEGIN IF \$1::text ~ 'secret|stone|hidden|unseen' THEN RAISE EXCEPTION 'leaked'; END IF; RETURN true; END \$\$"
as pgfit_maker "SELECT pgfit.train('unseen', 'linear_regression', 'public.stone', 'price ~ carat')" >/dev/null
is "$(as pgfit_scorer "$leak" "SELECT count(*) FROM pgfit.registry WHERE pg_temp.leak(name) AND pg_temp.leak(source) AND pg_temp.leak(query) AND pg_temp.leak(model)" "SELECT count(*) FROM pgfit.model_names WHERE pg_temp.leak(name)")" '23 21' \
    'conditions of the user run on what he may see'

# ---- grants and sessions ----

value="SELECT pgfit.get_model('the knn_classifier') IS NULL"
score="SELECT pgfit.classify('the knn_classifier', d) IS NULL FROM (SELECT 1.0 AS carat, 0 AS depth) AS d"
neighbor="SELECT count(*) FROM (SELECT 1.0 AS carat, 0 AS depth) AS d, pgfit.nearest('the knn_classifier', d, 1)"
is "$(as pgfit_scorer "$score" "$value" "$neighbor" "$score")" 'f ERROR:  42501 ERROR:  42501 f' 'who has scored does not read what the session keeps'
is "$(as postgres "SET SESSION AUTHORIZATION pgfit_reader" "PREPARE v AS $value" "PREPARE n AS $neighbor" "EXECUTE v" "EXECUTE n" "RESET SESSION AUTHORIZATION" "SET ROLE pgfit_scorer" "EXECUTE v" "EXECUTE n")" \
    'f 1 ERROR:  42501 ERROR:  42501' 'nor what a session keeps from another role'
is "$(as pgfit_maker "SELECT pgfit.grant_model('the knn_classifier', 'pgfit_scorer', 'write')") $(as pgfit_maker "SELECT pgfit.revoke_model('the knn_classifier', 'pgfit_scorer', 'Read')")" 'ERROR:  22023 ERROR:  22023' 'there are two privileges'
matches "$(psql -X -U pgfit_maker -c "SELECT pgfit.grant_model('the knn_classifier', 'pgfit_scorer', 'write')" 2>&1)" 'Privileges are score and read' 'which the hint lists'
is "$(as pgfit_maker "SELECT pgfit.grant_model('the knn_classifier', 'pgfit_scorer', 'read')")$(as pgfit_scorer "$value" "$neighbor")" 'f 1' 'granted to read, he does'
is "$(as pgfit_maker "SELECT pgfit.revoke_model('the knn_classifier', 'pgfit_scorer', 'read')")$(as pgfit_scorer "$value" "$score")" 'ERROR:  42501 f' 'reading is taken back alone'
is "$(as pgfit_maker "SELECT pgfit.revoke_model('the knn_classifier', 'pgfit_reader')")$(as pgfit_reader "$value" "$score")" 'ERROR:  42704 ERROR:  42704' 'and goes with scoring'
is "$(as pgfit_maker "SELECT scorers, readers FROM pgfit.model_names WHERE name = 'the knn_classifier'")" '{pgfit_scorer}|{}' 'so the lists say'
