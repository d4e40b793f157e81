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
"$python" "$repo/test/server/integrations.py" "$repo/integrations"
