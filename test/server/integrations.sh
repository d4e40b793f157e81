#!/bin/bash
# The panels of Grafana, Metabase and Superset have the form that these programs read, and their queries run; the dbt project trains and scores.
. "$(dirname "$0")/lib.sh"

python=$(find_client_python) && "$python" -c 'import jinja2' 2>/dev/null || { echo "ok - no Python with psycopg and jinja2 # SKIP"; exit 0; }
fresh_database pgfit_integrations || exit 1
sql "CREATE TABLE sale AS SELECT i AS id, date '2025-01-01' + i % 60 AS sold_on, i % 7 + sin(i) AS size, (ARRAY['a', 'b', 'c'])[i % 3 + 1] AS kind, 3 * (i % 7) + i % 3 + cos(i) AS price
         FROM generate_series(1, 900) AS i;
     CREATE TABLE titanic AS SELECT i AS id, 20 + i % 50 AS age, (ARRAY['male', 'female'])[i % 2 + 1] AS sex, (ARRAY['First', 'Second', 'Third'])[i % 3 + 1] AS class,
                                    CASE WHEN i % 2 = 1 AND i % 5 > 0 OR i % 11 = 0 THEN 'yes' ELSE 'no' END AS alive, timestamp '2025-01-01' + i * interval '1 hour' AS seen_on
         FROM generate_series(1, 900) AS i;
     SELECT FROM pgfit.train('sales''s price', 'forest_regression', 'sale', 'price ~ size + kind', '{\"n_trees\": 5, \"holdout\": {\"key\": \"id\"}}');
     SELECT FROM pgfit.train('alive', 'logistic_regression', 'titanic', 'alive ~ age + sex + class', '{\"lambda\": 1, \"holdout\": {\"key\": \"id\"}}')" || exit 1

views() { psql -X -q -v "model=$1" -v "rows=$2" -v "time=$3" -v "actual=$4" -v "schema=$5" -f "$repo/integrations/views.sql"; }
views "sales's price" sale sold_on price numbers
ok $? 'views of a regression'
views alive titanic seen_on alive dashboard
ok $? 'views of a classifier'
for schema in numbers dashboard; do
    is "$(sql "SELECT (SELECT count(*) >= 3 FROM $schema.versions) AND (SELECT count(DISTINCT series) >= 2 FROM $schema.importance) AND (SELECT bool_and(value < 9) AND count(*) > 9 FROM $schema.drift)
                      AND (SELECT count(*) > 100 FROM $schema.scores) AND (SELECT min(value) >= 0 AND count(*) > 4 FROM $schema.errors) AND (SELECT sum(rows) >= 900 FROM $schema.calibration)
                      AND (SELECT sum(rows) = 900 FROM $schema.confusion)")" t "views of $schema have rows"
done
is "$(sql "SELECT max(abs(s.value - p.value))::numeric < 0.5 FROM dashboard.scores AS s JOIN dashboard.scores AS p ON p.time = s.time AND p.series = s.series || ' (predicted)'")" t 'shares and probabilities of a class are beside each other'
is "$(sql "SELECT round(sum(rows) FILTER (WHERE actual <> estimate) / sum(rows), 9) = (SELECT round((1 - pgfit.accuracy(alive, pgfit.classify('alive', t)))::numeric, 9) FROM titanic AS t) FROM dashboard.confusion")" t \
    'the confusion adds up to the accuracy'

# a role of the panels, with a search_path of its own; the drift panel failed for it, and for everybody if a row had no time
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_integrations" -c "DROP ROLE IF EXISTS pgfit_panel"' EXIT
sql "CREATE SCHEMA shop; CREATE TABLE shop.sale AS TABLE sale; INSERT INTO shop.sale (id, size, kind, price) VALUES (0, 1, 'a', 1); CREATE ROLE pgfit_panel LOGIN;
     SELECT FROM pgfit.grant_model('sales''s price', 'pgfit_panel', 'read')" || exit 1
views "sales's price" shop.sale sold_on price panels
ok $? 'views of a table that is given with its schema'
sql "GRANT USAGE ON SCHEMA panels, shop TO pgfit_panel; GRANT SELECT ON ALL TABLES IN SCHEMA panels, shop TO pgfit_panel" || exit 1
is "$(PGUSER=pgfit_panel sql "SELECT (SELECT count(*) > 9 FROM panels.drift), (SELECT count(*) > 100 FROM panels.scores), (SELECT sum(rows) = 901 FROM panels.calibration), (SELECT count(*) FROM panels.importance)")" 't|t|t|2' \
    'a role of the panels reads them, drift among them, although a row has no time'
is "$(sql "SET search_path = pg_catalog; REFRESH MATERIALIZED VIEW panels.importance; SELECT count(*) FROM panels.importance")" 2 'importance is refreshed whatever the search_path'
"$python" "$repo/test/server/integrations.py" "$repo/integrations"
