-- option positive of metrics names a label that no row has: an error with the labels, rather than a number of other classes
SET search_path = public, pgfit;
CREATE TEMP TABLE judged AS
SELECT * FROM (VALUES ('no', 'no', 0.2), ('no', 'yes', 0.6), ('yes', 'yes', 0.7), ('yes', 'no', 0.4)) AS v(label, predicted, p);
SELECT name, test.try(format('SELECT %s(label, %s, ''{"positive": "Yes"}'')::text FROM judged', name,
                             CASE WHEN name ~ '^(precision|recall|f1)_score' THEN 'predicted' ELSE 'p' END))
FROM unnest('{log_loss, brier_score, hinge_loss, roc_auc, average_precision, roc_curve, precision_recall_curve, operating_point,
              calibration_curve, precision_score, recall_score, f1_score}'::text[]) AS name;
SELECT round(log_loss(label, p, '{"positive": "yes"}')::numeric, 4) AS yes, round(log_loss(label, 1 - p, '{"positive": "no"}')::numeric, 4) AS no FROM judged;
-- weights, jsonb options, windows, labels that are numbers or booleans
SELECT test.try('SELECT brier_score(label, p, ''{"positive": "Yes"}'', 2.0) FROM judged');
SELECT test.try('SELECT max(s) FROM (SELECT brier_score(label, p, ''{"positive": "Yes"}''::jsonb) OVER (ORDER BY p) AS s FROM judged) AS w');
SELECT test.try('SELECT log_loss(x, 0.5, ''{"positive": 3}'') FROM generate_series(0, 30) AS x WHERE x <> 3');
SELECT test.try('SELECT roc_auc(x, x, ''{"positive": 3.5}'') FROM generate_series(0, 30) AS x');
SELECT test.try('SELECT log_loss(label = ''yes'', p, ''{"positive": "t"}'') FROM judged'), round(log_loss(label = 'yes', p, '{"positive": true}')::numeric, 4) FROM judged;
-- parallel workers see different labels
CREATE TABLE many_judged AS SELECT 'class ' || x / 800 AS label, 0.5::float8 AS p, x FROM generate_series(1, 20000) AS x;
ANALYZE many_judged;
BEGIN;
SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0;
SELECT test.try('SELECT log_loss(label, p, ''{"positive": "class 30"}'') FROM many_judged');
SELECT round(log_loss(label, p, '{"positive": "class 3"}')::numeric, 4) AS log_loss FROM many_judged;
ROLLBACK;
DROP TABLE many_judged;
-- no rows, and one label, which may be the negative one: as before
SELECT log_loss(label, p, '{"positive": "Yes"}'), roc_auc(label, p, '{"positive": "Yes"}'), f1_score(label, predicted, '{"positive": "Yes"}') FROM judged WHERE false;
SELECT label, round(log_loss(label, p, '{"positive": "yes"}')::numeric, 4) AS log_loss, roc_auc(label, p, '{"positive": "yes"}'),
       recall_score(label, predicted, '{"positive": "yes"}') FROM judged GROUP BY label ORDER BY label;
-- the same words where folds are judged
SELECT test.try($$SELECT cross_validate(label, p, 'logistic_regression', '{"positive": "Yes", "folds": 2}')::text FROM judged$$);
