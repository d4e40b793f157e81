-- Every value that a fit returns can be read again: all estimators, their options, and unusual rows of every kind.
-- What is fitted and asked comes from the catalog, so that a new estimator, option or function is covered automatically.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE odd_rows (name text, extra jsonb, i int, c text, y float8, x float8, z float8, t text, w float8);
INSERT INTO odd_rows
SELECT s.name, s.extra, i, CASE WHEN s.name = 'one class' OR hashint4(i) % 2 = 0 THEN 'a' ELSE 'b' END,
       (i * 7 % 11 + i * 0.25) * s.scale, ((i * 5 % 13) - 6) * s.scale, (i * i % 7 - 3 + i * 0.5) * s.scale,
       CASE s.name WHEN 'one level' THEN 'u' ELSE 'u' || i % 3 END, s.weight
FROM (VALUES ('plain', 30, 1::float8, NULL::float8, '{}'::jsonb), ('one row', 1, 1, NULL, '{}'), ('two rows', 2, 1, NULL, '{}'),
             ('one level', 12, 1, NULL, '{}'), ('one class', 12, 1, NULL, '{}'), ('zeros', 12, 0, NULL, '{}'),
             ('denormals', 24, 1e-310, NULL, '{}'), ('tiny', 24, 1e-200, NULL, '{}'), ('large', 24, 1e150, NULL, '{}'),
             ('smallest', 24, 3e-322, NULL, '{}'), ('largest', 24, 3e306, NULL, '{}'), ('ends', 24, 1e307, NULL, '{}'), ('many largest', 80, 3e306, NULL, '{}'), ('weights', 24, 1, 0.5, '{}'),
             ('denormal weights', 24, 1, 1e-310, '{}'), ('largest weights', 24, 1, 1e308, '{}'), ('weights near the end', 16, 1, 1e307, '{}'),
             ('counts', 12, 1, 3, '{"weight_kind": "frequency"}'), ('nulls', 24, 1, NULL, '{}'),
             ('imputed', 24, 1, NULL, '{"nulls": "impute"}'), ('imputed largest', 24, 3e306, NULL, '{"nulls": "impute"}')) s (name, n, scale, weight, extra),
     LATERAL generate_series(1, s.n) i;
UPDATE odd_rows SET x = nullif(x, 4), z = CASE WHEN i % 5 > 0 THEN z END, t = nullif(t, 'u1') WHERE name ~ 'nulls|imputed';
UPDATE odd_rows SET x = x * 2.9, z = z * 0.5 WHERE name = 'ends';
-- one row far out
UPDATE odd_rows SET x = 1e308 WHERE name = 'weights' AND i = 24;

-- values to try: what the range lists, its ends, and some that may be refused
CREATE FUNCTION option_values(type text, range text) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT to_jsonb(m[1]) FROM regexp_matches(range, '"([^"]+)"', 'g') m
    UNION SELECT v::jsonb FROM unnest('{true,false}'::text[]) v WHERE type ~ 'boolean'
    UNION SELECT to_jsonb(coalesce((regexp_match(range, '(-?\d+) <= x'))[1]::numeric, 0) + v) FROM unnest('{0,1,2}'::int[]) v WHERE type ~ 'integer'
    UNION SELECT to_jsonb(v) FROM unnest('{0,1e-300,0.5,1,1e300}'::float8[]) v WHERE type ~ '^number| number'
    UNION SELECT v::jsonb FROM unnest('{"[3]","[1, 2]","[0.5, 0.5]","[0.25, 0.5]"}'::text[]) v WHERE type ~ 'array of numbers'
    UNION SELECT v::jsonb FROM unnest('{"[[1, 0], [0, 1]]","[[1], [-1]]","[[1], [1]]","[[1]]"}'::text[]) v WHERE type ~ 'arrays of numbers'
    UNION SELECT v::jsonb FROM unnest('{"{\"a\": 1, \"b\": 2}","{\"f1\": 1}"}'::text[]) v WHERE type ~ 'object'
    UNION SELECT '{"t": "u0"}' WHERE type = 'object of strings'
    UNION SELECT v::jsonb FROM unnest(ARRAY['["x"]', '["b", "a"]']) v WHERE type ~ 'array of strings'
    UNION SELECT '1.5' WHERE range = '1 < x < 2'
    UNION SELECT v::jsonb FROM unnest('{"\"x\"","\"f1\"","\"a\"","\"exp(-distance)\""}'::text[]) v WHERE type ~ 'string' AND range IS NULL
$$;
-- what an option goes with, or cannot go with, where it is not enough alone
CREATE TABLE along (option text, given jsonb, without text);
INSERT INTO along VALUES ('prefix_weight', '{"metric": "jaro_winkler"}', NULL);
INSERT INTO along VALUES ('p', '{"metric": "minkowski"}', NULL), ('variances', '{"metric": "standardized_euclidean"}', NULL), ('matrix', '{"metric": "elliptical"}', NULL),
    ('covariance', '{"metric": "mahalanobis"}', NULL), ('kernel', '{"metric": "kernel"}', NULL), ('degree', '{"metric": "kernel", "kernel": "polynomial"}', NULL),
    ('coef0', '{"metric": "kernel", "kernel": "polynomial"}', NULL), ('gamma', '{"metric": "kernel", "kernel": "rbf"}', NULL), ('sigma', '{"metric": "kernel", "kernel": "rbf"}', NULL),
    ('radius', '{}', 'k'), ('radius_inclusive', '{"radius": 3}', 'k'), ('max_k', '{"k": "loo"}', NULL), ('max_k', '{"k": "auto"}', NULL), ('explained', '{}', 'k'), ('alpha', '{"penalty": "elastic_net", "lambda": 1}', NULL),
    ('code_book', '{"multiclass": "ecoc"}', NULL), ('code_length', '{"multiclass": "ecoc"}', NULL), ('select', '{"lambda": "path"}', NULL), ('features', '{"k": 1}', NULL), ('formula', '{"k": 1}', NULL), ('fold_column', '{"lambda": "cv"}', NULL),
    ('seed', '{"lambda": "cv", "folds": 3}', NULL), ('init_weights', '{"init": [[1], [5]]}', NULL), ('init_covariances', '{"init": [[1], [5]]}', NULL);
INSERT INTO along VALUES ('theta', '{"family": "negative_binomial"}', NULL), ('power', '{"family": "tweedie"}', NULL), ('link_power', '{"link": "power"}', NULL);
INSERT INTO along VALUES ('noise_rate', '{"prior_precision": 1}', NULL), ('noise_shape', '{"prior_precision": 1}', NULL);
INSERT INTO along VALUES ('angle_unit', '{"metric": "haversine"}', NULL), ('sphere_radius', '{"metric": "haversine"}', NULL), ('ranges', '{"metric": "gower"}', NULL),
    ('outlier_label', '{"radius": 3}', 'k');
INSERT INTO along VALUES ('complexity', '{"prune": "cost_complexity"}', NULL), ('folds', '{"prune": "cost_complexity"}', NULL), ('holdout', '{"prune": "reduced_error"}', NULL),
    ('holdout_column', '{"prune": "reduced_error"}', NULL);
INSERT INTO along VALUES ('decay', '{"kernel": "subsequence", "length": 1}', NULL), ('length', '{"kernel": "spectrum"}', NULL),
    ('normalized', '{"kernel": "spectrum", "length": 1}', NULL), ('frequencies', '{"kernel": "rbf", "approximation": "fourier"}', NULL),
    ('landmarks', '{"kernel": "rbf", "approximation": "nystroem"}', NULL), ('nu', '{"kernel": "rbf"}', NULL), ('shrinking', '{"kernel": "rbf"}', NULL),
    ('cluster', '{"vcov": "CR0"}', NULL), ('order', '{"vcov": "NW"}', NULL), ('lag', '{"vcov": "NW", "order": "f1"}', NULL),
    ('quantile', '{"loss": "quantile"}', NULL), ('max_samples', '{"bootstrap": true}', NULL), ('tolerance', '{"early_stopping": 2}', NULL);
UPDATE along SET given = given || '{"early_stopping": 2}' WHERE option = 'holdout';
UPDATE along SET given = given || '{"lambda": "cv"}' WHERE option = 'folds';
UPDATE along SET given = given || '{"prune": "cost_complexity"}' WHERE option = 'seed';
UPDATE along SET given = given || '{"theta": 2, "family": "negative_binomial"}' WHERE option IN ('folds', 'seed', 'select');
INSERT INTO along VALUES ('fold_column', '{"lambda": "cv", "theta": 2, "family": "negative_binomial"}', NULL);

-- every fit: an aggregate with options, and how its rows begin; k where it has one
CREATE TABLE methods AS
SELECT p.proname::text AS name, split_part(pg_get_function_arguments(p.oid), ' ', 1) AS first,
       EXISTS (SELECT FROM pg_proc e WHERE e.proname = p.proname AND e.pronamespace = p.pronamespace AND pg_get_function_arguments(e.oid) ~ '^moments pgfit.model, options (pgfit\.)?call_options$') AS of_moments,
       CASE WHEN EXISTS (SELECT FROM options(p.proname) o WHERE o.name = 'k') AND p.proname <> 'lda' THEN '{"k": 2}' WHEN p.proname = 'dbscan' THEN '{"radius": 5}' WHEN p.proname = 'ordinal_regression' THEN '{"levels": ["a", "b"]}' WHEN p.proname = 'cox_regression' THEN '{"event": "f1"}' WHEN p.proname = 'mixed_regression' THEN '{"formula": "x + (1 | t)"}' ELSE '{}' END::jsonb AS base
FROM pg_proc p
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'a' AND pg_get_function_arguments(p.oid) ~ '^((target|label|id) "any", )?features "any", options (pgfit\.)?call_options$'
  AND (p.proname IN (SELECT e.name FROM estimators() e) OR p.proname ~ 'moments$');
SELECT e.name AS estimator_without_test FROM estimators() e EXCEPT SELECT m.name FROM methods m;
CREATE TABLE forms (form int, features text);
INSERT INTO forms VALUES (1, 'row(x, z)'), (2, 'row(t)'), (3, 'row(x, t)'), (4, 'row(x)'), (5, 'ARRAY[x, z]'), (6, 'jsonb_build_object(''x'', x, ''t'', t)');
CREATE TABLE tries (id serial, method text, base jsonb, extra jsonb, odd text, form int, asked boolean);
INSERT INTO tries (method, base, extra, odd, form, asked)
SELECT m.name, m.base, '{}', odd, form, true FROM methods m, (SELECT DISTINCT o.name FROM odd_rows o) o (odd), forms WHERE form < 6 OR m.name = 'mixed_regression' ORDER BY 1, 4, 5;
WITH given AS (
    SELECT m.name, m.base - coalesce(a.without, '') || coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(a.given)
               WHERE key IN (SELECT p.name FROM options(m.name) p WHERE jsonb_typeof(value) <> 'string' OR p.range IS NULL OR p.range ~ value::text)), '{}') AS base,
           jsonb_build_object(o.name, v) AS extra, row_number() OVER (ORDER BY m.name, o.name, v) AS number
    FROM methods m CROSS JOIN options(m.name) o CROSS JOIN option_values(o.type, o.range) v
         LEFT JOIN along a ON a.option = o.name AND (o.name <> 'covariance' OR o.type ~ 'array')
), odd AS (SELECT DISTINCT o.name, dense_rank() OVER (ORDER BY o.name) - 1 AS number FROM odd_rows o)
INSERT INTO tries (method, base, extra, odd, form, asked)
SELECT g.name, g.base, g.extra, p.odd, p.form, p.asked
FROM given g JOIN odd ON odd.number = g.number * 7 % (SELECT count(*) FROM odd),
     LATERAL (VALUES ('plain', 3, true), ('plain', 1, false), ('plain', 4, false), ('plain', 2, false), ('imputed', 3, false),
                     (odd.name, 1 + (g.number % 5)::int, false), ('plain', 6, false)) p (odd, form, asked)
WHERE p.form < 6 OR g.extra ?| '{formula,reference}' OR g.name = 'mixed_regression';

-- what is asked of a model alone, and of a model and a row
CREATE TABLE questions AS
SELECT p.proname::text AS name, p.pronargs AS arguments, p.proretset AS many FROM pg_proc p
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'f' AND pg_get_function_identity_arguments(p.oid) ~ '^(model|moments) pgfit.model(, features "any")?(, OUT |$)';
CREATE TABLE trouble (method text, options jsonb, odd text, form text, doing text, error text);
CREATE TABLE fitted (id int, m model);
CREATE FUNCTION read_again(m model) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    written text = m;
    again model = written;
BEGIN
    IF again <> m OR again::text <> written OR m::jsonb::model <> m THEN
        RAISE data_corrupted USING MESSAGE = 'another model came back';
    END IF;
END
$$;
CREATE FUNCTION try_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t record;
    q record;
    m model;
    features text;
    doing text;
    other model;
BEGIN
    FOR t IN SELECT r.*, m.first, f.features AS row_form, o.extra AS own, o.w IS NOT NULL AS weighted, r.base || r.extra || o.extra AS options
             FROM tries r JOIN methods m ON m.name = r.method JOIN forms f USING (form) JOIN odd_rows o ON o.name = r.odd AND o.i = 1 LOOP
        BEGIN
            doing = 'fit';
            m = NULL;
            features = CASE WHEN t.method = 'cox_regression' THEN replace(replace(t.row_form, 'row(', 'row(i % 3 > 0, '), 'object(', 'object(''f1'', i % 3 > 0, ') ELSE t.row_form END;
            EXECUTE format('SELECT pgfit.%I(%s%s, $1%s) FROM odd_rows WHERE name = $2', t.method,
                           CASE t.first WHEN 'target' THEN 'y, ' WHEN 'label' THEN 'c, ' WHEN 'id' THEN 'i, ' END, features,
                           CASE WHEN t.weighted THEN ', w' END) INTO m USING t.options, t.odd;
            IF m IS NULL THEN
                CONTINUE;
            END IF;
            doing = 'text and jsonb';
            PERFORM read_again(m);
            INSERT INTO fitted VALUES (t.id, m);
        EXCEPTION WHEN OTHERS THEN
            -- a fit may be refused; a value that was made may not
            IF SQLSTATE ~ '^(XX|58)' OR doing <> 'fit' THEN
                INSERT INTO trouble VALUES (t.method, t.options, t.odd, features, doing, SQLSTATE || ': ' || SQLERRM);
            END IF;
            CONTINUE;
        END;
        -- moments: merged with itself, and fitted from
        FOR q IN SELECT 'merge' AS name WHERE t.method ~ 'moments$' UNION ALL SELECT m.name FROM methods m WHERE t.method ~ 'moments$' AND m.of_moments LOOP
            BEGIN
                doing = 'fit';
                IF q.name = 'merge' THEN
                    other = merge(m, m);
                ELSE
                    EXECUTE format('SELECT pgfit.%I(e, (SELECT base FROM methods WHERE name = %L)) FROM (SELECT $1 AS e UNION ALL SELECT $1) s', q.name, q.name)
                    INTO other USING m;
                END IF;
                doing = q.name || ' of moments';
                PERFORM read_again(other);
            EXCEPTION WHEN OTHERS THEN
                IF SQLSTATE ~ '^(XX|58)' OR doing <> 'fit' THEN
                    INSERT INTO trouble VALUES (t.method, t.options, t.odd, features, doing, SQLSTATE || ': ' || SQLERRM);
                END IF;
            END;
        END LOOP;
        FOR q IN SELECT * FROM questions WHERE t.asked OR name IN ('info', 'summary') LOOP
            BEGIN
                doing = q.name;
                IF q.arguments = 1 AND q.many THEN
                    EXECUTE format('SELECT count(*) FROM pgfit.%I($1)', q.name) USING m;
                ELSIF q.arguments = 1 THEN
                    EXECUTE format('SELECT pgfit.%I($1)', q.name) USING m;
                ELSIF q.many THEN
                    EXECUTE format('SELECT count(*) FROM odd_rows, LATERAL pgfit.%I($1, %s) WHERE name = $2 AND i <= 4', q.name, features) USING m, t.odd;
                ELSE
                    EXECUTE format('SELECT count(pgfit.%I($1, %s)) FROM odd_rows WHERE name = $2 AND i <= 4', q.name, features) USING m, t.odd;
                END IF;
            EXCEPTION WHEN OTHERS THEN
                IF SQLSTATE ~ '^(XX|58|22P0)' OR q.name IN ('info', 'summary') THEN
                    INSERT INTO trouble VALUES (t.method, t.options, t.odd, features, doing, SQLSTATE || ': ' || SQLERRM);
                END IF;
            END;
        END LOOP;
    END LOOP;
END
$$;
SELECT try_all();
SELECT * FROM trouble ORDER BY 1, 2, 3, 4, 5;

-- binary, as COPY has it
\set file `mktemp`
\set copy_in '\\copy back from ' :file ' binary'
CREATE TABLE back (LIKE fitted);
COPY fitted TO STDOUT (FORMAT binary) \g :file
:copy_in
\set ignored `rm -f :'file'`
SELECT count(*) = (SELECT count(*) FROM fitted) AS all_back, bool_and(a.m = b.m) AS equal FROM fitted a JOIN back b USING (id);

-- enough was fitted: every method, with every option
SELECT count(*) > 5000 AS many FROM fitted;
SELECT m.name AS never_fitted FROM methods m WHERE m.name NOT IN (SELECT r.method FROM tries r JOIN fitted USING (id)) ORDER BY 1;
-- (a reference level is for methods that take categories; theta is not estimated under a penalty; an event is a column of its own beside the one feature that ["x"] names, and mixed_regression has its formula already)
SELECT r.method, k AS option_never_fitted FROM tries r CROSS JOIN jsonb_object_keys(r.extra) k LEFT JOIN fitted USING (id)
WHERE (r.method <> 'mixed_regression' OR k NOT IN ('features', 'formula')) AND (k <> 'reference' OR r.method !~ '_calibration|isotonic|mixture|total_least|mean_shift|centroid|median|^k.*means|scaler|polynomial_features|quantile_bins|theil_sen') GROUP BY 1, 2 HAVING count(fitted.id) = 0 AND (r.method, k) NOT IN (('cox_regression', 'features'), ('negative_binomial_regression', 'alpha'), ('negative_binomial_regression', 'path')) ORDER BY 1, 2;
-- (weights of 1e308 have a sum for one row alone)
SELECT odd AS never_fitted FROM tries LEFT JOIN fitted USING (id) GROUP BY 1 HAVING count(fitted.id) = 0 ORDER BY 1;
DROP TABLE odd_rows, methods, forms, tries, along, questions, trouble, fitted, back;
DROP FUNCTION option_values(text, text), try_all(), read_again(model);
