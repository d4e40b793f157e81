#!/bin/bash
# Databases of other encodings: a dump of one restores into one of UTF-8 with the same scores, binary forms go from one to the other, texts are
# compared by characters, and messages and terms end with a whole one.
. "$(dirname "$0")/lib.sh"
export PGCLIENTENCODING=UTF8

encoded_database() {
    psql -X -q -d postgres -v ON_ERROR_STOP=1 -c "CREATE DATABASE $1 TEMPLATE template0 ENCODING '$2' LC_COLLATE 'C' LC_CTYPE 'C'" &&
        psql -X -q -d "$1" -c 'CREATE EXTENSION pgfit'
}
encoded_database pgfit_euc EUC_JP && encoded_database pgfit_latin LATIN1 && fresh_database pgfit_utf8 && encoded_database pgfit_back EUC_JP || exit 1

# $1: four words in another order than in UTF-8; $2: a column
models() {
    sql "CREATE TABLE seen AS SELECT i AS id, i % 17 + sin(i) AS y, ('{$1}'::text[])[1 + i % 4] AS \"$2\", ('{$1}'::text[])[1 + i / 3 % 4] AS label, i % 3 > 0 AS died FROM generate_series(1, 120) AS i;
         CREATE TABLE model (name text, m pgfit.model);
         INSERT INTO model SELECT 'line', pgfit.linear_regression(y, s, '\"$2\" + poly(id, 2)') FROM seen AS s;
         INSERT INTO model SELECT 'product', pgfit.ridge_regression(y, s, 'id * \"$2\"') FROM seen AS s;
         INSERT INTO model SELECT 'mixed', pgfit.mixed_regression(y, s, 'id + (1 | \"$2\")') FROM seen AS s;
         INSERT INTO model SELECT 'classes', pgfit.logistic_regression(label, s, 'y + \"$2\"') FROM seen AS s;
         INSERT INTO model SELECT 'tree', pgfit.tree_classifier(label, s, 'y + \"$2\"') FROM seen AS s;
         INSERT INTO model SELECT 'bayes', pgfit.naive_bayes(label, s, 'y + \"$2\"') FROM seen AS s;
         INSERT INTO model SELECT 'pipeline', pgfit.fit('ridge_regression', 'seen', 'y ~ \"$2\" + id', '{\"lambda\": 1, \"prepare\": [\"one_hot\", \"standard_scaler\"]}');
         INSERT INTO model SELECT 'ensemble', pgfit.ensemble(a.m, b.m) FROM model AS a, model AS b WHERE a.name = 'line' AND b.name = 'product';
         INSERT INTO model SELECT 'texts', pgfit.knn_regression(y, \"$2\" || label, '{\"k\": 3, \"metric\": \"damerau\"}') FROM seen AS s;
         INSERT INTO model SELECT 'interval', pgfit.conformalize(m, y, s, '{\"group\": \"$2\"}') FROM model, seen AS s WHERE name = 'line';
         INSERT INTO model SELECT 'strata', pgfit.cox_regression(id, s, '{\"formula\": \"y\", \"event\": \"died\", \"strata\": \"$2\"}') FROM seen AS s;
         INSERT INTO model SELECT 'distances', pgfit.distance_matrix(a, b, i * i + j) FROM unnest('{$1}'::text[]) WITH ORDINALITY AS a (a, i), unnest('{$1}'::text[]) WITH ORDINALITY AS b (b, j) WHERE i < j;
         INSERT INTO model SELECT 'moments', pgfit.moments(y, s, 'id + \"$2\"') FROM seen AS s;
         CREATE VIEW score AS
         SELECT name, id, CASE WHEN name IN ('classes', 'tree', 'bayes') THEN pgfit.classify(m, s) || pgfit.probabilities(m, s)::text
                               WHEN name = 'interval' THEN pgfit.predict_interval(m, s, 0.8)::text
                               WHEN name = 'strata' THEN pgfit.survival(m, s, 60, \"$2\")::text
                               WHEN name = 'distances' THEN pgfit.silhouette(m, (SELECT jsonb_object_agg(w, n % 2) FROM unnest('{$1}'::text[]) WITH ORDINALITY AS w (w, n)))::text
                               WHEN name = 'texts' THEN pgfit.predict(m, \"$2\" || label)::text
                               ELSE pgfit.predict(m, s)::text END AS score
         FROM model, seen AS s WHERE name <> 'moments';"
}
scores="SELECT name, md5(convert_to(string_agg(score, ' ' ORDER BY id), 'UTF8')) FROM score GROUP BY name ORDER BY name"
restore_into() { pg_dump "$PGDATABASE" -t model -t seen -t score | psql -X -q -d "$1" -v ON_ERROR_STOP=1 2>&1 >/dev/null; }

PGDATABASE=pgfit_euc
models '東京,京都府,大阪,名古屋' 色 || exit 1
wanted=$(sql "$scores")
is "$(restore_into pgfit_utf8)" '' 'a dump of EUC_JP restores into UTF-8'
PGDATABASE=pgfit_utf8
is "$(sql "$scores")" "$wanted" 'models from EUC_JP score the same in UTF-8'
coefficients() { sql "SELECT string_agg(term || round(estimate::numeric, 9), ' ') FROM (SELECT $1 AS m FROM $2) AS t, pgfit.coefficients(m)"; }
is "$(coefficients "pgfit.fit('linear_regression', m)" "model WHERE name = 'moments'")" "$(coefficients "pgfit.linear_regression(y, s, 'id + 色')" 'seen AS s')" \
    'moments from EUC_JP fit as rows in UTF-8 do'
is "$(restore_into pgfit_back)" '' 'a dump of UTF-8 restores into EUC_JP'
PGDATABASE=pgfit_back
is "$(sql "$scores")" "$wanted" 'models score the same after the way back'

PGDATABASE=pgfit_euc
sql "\\copy (SELECT name, m FROM model ORDER BY name) TO '$PGFIT_SCRATCH/euc.bin' (FORMAT binary)"
PGDATABASE=pgfit_utf8
sql "CREATE TABLE received (name text, m pgfit.model)"
sql "\\copy received FROM '$PGFIT_SCRATCH/euc.bin' (FORMAT binary)"
is "$(sql "SELECT count(*), bool_and(r.m::text = m.m::text) FROM received AS r JOIN model AS m USING (name)")" '13|t' 'binary forms from EUC_JP are the models in UTF-8'

PGDATABASE=pgfit_latin
models 'é,Ã©,ü,zé' größe || exit 1
wanted=$(sql "$scores")
sql_utf8() { PGDATABASE=pgfit_utf8 sql "$1"; }
sql_utf8 'DROP VIEW score; DROP TABLE model, seen'
is "$(restore_into pgfit_utf8)" '' 'a dump of LATIN1 restores into UTF-8'
is "$(sql_utf8 "$scores")" "$wanted" 'models from LATIN1 score the same in UTF-8'

PGDATABASE=pgfit_euc
is "$(sql "SELECT pgfit.edit_distance('東京都', '東方都'), pgfit.predict(pgfit.knn_regression(n, w, '{\"k\": 1, \"metric\": \"edit\"}'), '東方'::text),
                  pgfit.distance(pgfit.kmedoids(w, 2, '{\"metric\": \"edit\"}'), '東方'::text) FROM (VALUES (1, '東京'), (2, '大阪')) AS t (n, w)")" '1|1|1' 'texts in EUC_JP are compared by characters'
matches "$(sql "SELECT pgfit.qda(repeat('あ', 100 + i % 2), ARRAY[i]) FROM generate_series(1, 3) AS i" 2>&1)" '^ERROR:  1 row of class "(あ)+\.\.\." is' 'a message that cuts a label ends with a whole character'
is "$(sql "SELECT term ~ '^c=x?あ{100,}\$' FROM (SELECT pgfit.linear_regression(i, ROW(i % 5, repeat('x', i % 2) || repeat('あ', 150)), '{\"features\": [\"i\", \"c\"]}') AS m FROM generate_series(1, 9) AS i) AS t,
             pgfit.coefficients(m) WHERE term ~ '^c'")" t 'a term that is cut ends with a whole character'
