-- The views that the panels of Grafana, Metabase and Superset read, for one model of the registry.
--
--     psql -v model=churn -v rows=customer -v time=seen_on -v actual=churned -f integrations/views.sql
--
-- model: its name. rows: a table or view with the features, with its schema or without. time, actual: its columns with the time of a row and what really happened.
-- schema: where the views are made, by default dashboard. They read the rows and the active version when a panel is drawn. To change
-- what they show, drop the schema, or give another one.
\set ON_ERROR_STOP on
\if :{?schema}
\else
\set schema dashboard
\endif

SELECT pgfit.info(pgfit.get_model(:'model')) ? 'classes' AS labels \gset
-- the table by its whole name, because drift and permutation_importance look it up when a view is read or refreshed, by the search_path of then
SELECT format('%I.%I', n.nspname, c.relname) AS source FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = coalesce(to_regclass(quote_ident(:'rows')), :'rows'::text::regclass) \gset
CREATE SCHEMA :"schema";

-- metrics of each version, on rows that it was not fitted to
CREATE VIEW :"schema".versions AS
SELECT h.trained_at AS time, m.key AS series, m.value::float8 AS value, h.version, h.active
FROM pgfit.history(:'model') AS h, jsonb_each_text(h.metrics) AS m;

-- what the metric loses if the values of a feature are dealt out anew; kept, because it scores the rows many times: REFRESH it after a promotion
CREATE MATERIALIZED VIEW :"schema".importance AS
SELECT feature AS series, importance AS value
FROM pgfit.permutation_importance(pgfit.get_model(:'model'), format('SELECT * FROM %s', :'source'), :'actual');

-- how far the rows of each week are from those of the training: the population stability index, of which 0.2 is much
CREATE VIEW :"schema".drift AS
SELECT w.time::timestamptz AS time, d.feature AS series, d.psi AS value
FROM (SELECT DISTINCT date_trunc('week', r.:"time") AS time FROM :source AS r WHERE r.:"time" IS NOT NULL) AS w,
     pgfit.drift(:'model', format('SELECT * FROM %s WHERE date_trunc(''week'', %I) = %L', :'source', :'time', w.time)) AS d;

\if :labels
CREATE VIEW :"schema".scored AS
SELECT r.:"time"::timestamptz AS time, r.:"actual"::text AS actual, pgfit.classify(:'model', r) AS estimate, pgfit.probabilities(:'model', r) AS shares FROM :source AS r;

-- the share of each class among the labels, and its mean probability
CREATE VIEW :"schema".scores AS
SELECT date_trunc('day', s.time) AS time, c.class || v.suffix AS series, avg(v.value) AS value
FROM :"schema".scored AS s, unnest(pgfit.classes(pgfit.get_model(:'model')), s.shares) AS c(class, share), LATERAL (VALUES ('', (s.actual = c.class)::int::float8), (' (predicted)', c.share)) AS v(suffix, value)
GROUP BY 1, 2;

CREATE VIEW :"schema".errors AS
SELECT date_trunc('week', time) AS time, 'share of wrong labels' AS series, 1 - pgfit.accuracy(actual, estimate) AS value FROM :"schema".scored GROUP BY 1;

-- what came true of what was predicted: of a calibrated model both are equal
CREATE VIEW :"schema".calibration AS
SELECT c.class AS series, avg(c.share) AS predicted, avg((s.actual = c.class)::int::float8) AS value, count(*) AS rows
FROM :"schema".scored AS s, unnest(pgfit.classes(pgfit.get_model(:'model')), s.shares) AS c(class, share)
WHERE s.actual IS NOT NULL GROUP BY c.class, width_bucket(c.share, 0, 1, 10);

CREATE VIEW :"schema".confusion AS
SELECT actual, estimate, count(*) AS rows FROM :"schema".scored WHERE actual IS NOT NULL AND estimate IS NOT NULL GROUP BY 1, 2;
\else
CREATE VIEW :"schema".scored AS
SELECT r.:"time"::timestamptz AS time, r.:"actual"::float8 AS actual, pgfit.predict(:'model', r) AS estimate FROM :source AS r;

CREATE VIEW :"schema".scores AS
SELECT date_trunc('day', s.time) AS time, v.series, avg(v.value) AS value
FROM :"schema".scored AS s, LATERAL (VALUES ('actual', s.actual), ('predicted', s.estimate)) AS v(series, value) GROUP BY 1, 2;

CREATE VIEW :"schema".errors AS
SELECT date_trunc('week', time) AS time, 'rmse' AS series, pgfit.rmse(actual, estimate) AS value FROM :"schema".scored GROUP BY 1;

-- tenths of the rows, by what was predicted
CREATE VIEW :"schema".calibration AS
SELECT 'actual' AS series, avg(estimate) AS predicted, avg(actual) AS value, count(*) AS rows
FROM (SELECT actual, estimate, ntile(10) OVER (ORDER BY estimate) AS tenth FROM :"schema".scored WHERE actual IS NOT NULL AND estimate IS NOT NULL) AS t GROUP BY tenth;

-- thirds of the rows, by what was predicted and by what came true
CREATE VIEW :"schema".confusion AS
SELECT (ARRAY['low', 'middle', 'high'])[ntile_actual] AS actual, (ARRAY['low', 'middle', 'high'])[ntile_estimate] AS estimate, count(*) AS rows
FROM (SELECT ntile(3) OVER (ORDER BY actual) AS ntile_actual, ntile(3) OVER (ORDER BY estimate) AS ntile_estimate
      FROM :"schema".scored WHERE actual IS NOT NULL AND estimate IS NOT NULL) AS t GROUP BY 1, 2;
\endif
