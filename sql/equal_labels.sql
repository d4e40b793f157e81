-- Different strings that SQL considers equal (citext, nondeterministic collations) would be different levels: refused.
SET search_path = public, test, pgfit;
-- a type like citext
CREATE TYPE folded;
CREATE FUNCTION folded_in(cstring) RETURNS folded LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION folded_out(folded) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE folded (INPUT = folded_in, OUTPUT = folded_out, LIKE = text, CATEGORY = 'S', COLLATABLE = true);
CREATE CAST (folded AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (text AS folded) WITHOUT FUNCTION AS ASSIGNMENT;
-- as long as it has no equality of its own it is text
SELECT info(naive_bayes(t::folded, x)) -> 'classes' AS classes FROM (VALUES ('a', 1), ('a', 2), ('B', 2), ('B', 3)) AS v (t, x);
CREATE FUNCTION folded_compare(folded, folded) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT bttextcmp(lower($1::text) COLLATE "C", lower($2::text) COLLATE "C") $$;
CREATE FUNCTION folded_equal(folded, folded) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT lower($1::text) COLLATE "C" = lower($2::text) COLLATE "C" $$;
CREATE OPERATOR = (LEFTARG = folded, RIGHTARG = folded, FUNCTION = folded_equal);
CREATE OPERATOR CLASS folded_ops DEFAULT FOR TYPE folded USING btree AS OPERATOR 3 =, FUNCTION 1 folded_compare(folded, folded);
CREATE DOMAIN folded_domain AS folded;
CREATE TABLE words (id int, plain text, word folded, again folded_domain, x float8);
INSERT INTO words SELECT i, t, t, t, i % 5 FROM generate_series(1, 40) AS i, LATERAL (SELECT (ARRAY['Ideal', 'ideal', 'fair'])[i % 3 + 1] AS t) AS v;
\c -
SET search_path = public, test, pgfit;
SELECT try('SELECT linear_regression(x, f) FROM words, LATERAL (SELECT id, word) AS f');
SELECT try('SELECT linear_regression(x, word) FROM words');
SELECT try('SELECT linear_regression(x, words, ''{"features": ["id", "again"]}'') FROM words');
SELECT try('SELECT naive_bayes(word, x) FROM words');
SELECT try('SELECT accuracy(plain, word) FROM words');
SELECT try('SELECT euclidean_distance(row(word), row(again)) FROM words');
SELECT try('SELECT predict(linear_regression(x, f), (SELECT g FROM (SELECT ''IDEAL''::folded AS plain) AS g)) FROM words, LATERAL (SELECT plain) AS f');
-- equal values became different groups, clusters, strata and folds
SELECT try('SELECT linear_regression(x, words, ''{"formula": "id", "absorb": "word"}'') FROM words');
SELECT try('SELECT linear_regression(x, words, ''{"formula": "id", "cluster": "again"}'') FROM words');
SELECT try('SELECT cox_regression(x + 1, words, ''{"formula": "id", "event": "e", "strata": "word"}'') FROM (SELECT *, x > 2 AS e FROM words) AS words');
SELECT try('SELECT cross_validate(x, words, ''linear_regression'', ''{"group_column": "word", "options": {"formula": "id"}}'') FROM words');
SELECT try('SELECT train(''words'', ''linear_regression'', ''words'', ''x ~ id'', ''{"holdout": {"key": "word"}}'')');
SELECT try('SELECT fold(word, 5), split(again, 0.5), bootstrap_weight(word, 1) FROM words');
SELECT try('SELECT fold(ARRAY[1.0, 2], 5)'), try('SELECT split(numrange(1.0, 2), 0.5)') <> '' AS range, fold(ARRAY[1, 2], 5) IS NOT NULL AS integers;
SELECT count(fold(word::text, 5)) AS folds, count(split(again::text, 0.5)) AS sides FROM words;
-- columns that are no features, ids and the hints
SELECT linear_regression(x, words, '{"features": ["id"]}') IS NOT NULL AS selected FROM words;
SELECT count(*) AS ids FROM (SELECT neighbors(word, x) AS m FROM words) AS f, nearest(m, 3) AS n;
SELECT edit_distance('Ideal'::folded, 'ideal'::folded);
SELECT coefficient_names FROM (SELECT array_agg(term) AS coefficient_names FROM (SELECT linear_regression(x, f) AS m FROM words, LATERAL (SELECT lower(word::text) COLLATE "C" AS word) AS f) AS t, coefficients(m)) AS t;
SELECT info(naive_bayes(lower(word::text), x)) -> 'classes' AS classes FROM words;

-- collations, where the server has ICU
CREATE FUNCTION collated(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'unaccented') THEN RETURN 'refused'; END IF;
    RETURN CASE try(statement)
        WHEN E'22023: equal values of feature "word" may be different strings, because collation "unaccented" is not deterministic\nHINT: Pass strings that are identical where values are equal, for example lower(x::text) COLLATE "C".' THEN 'refused'
        WHEN E'22023: equal values of feature "f1" may be different strings, because collation "unaccented" is not deterministic\nHINT: Pass strings that are identical where values are equal, for example lower(x::text) COLLATE "C".' THEN 'refused'
        WHEN E'22023: equal values of column "word" may be different strings, because collation "unaccented" is not deterministic\nHINT: Pass strings that are identical where values are equal, for example lower(x::text) COLLATE "C".' THEN 'refused'
        WHEN E'22023: equal labels may be different strings, because collation "unaccented" is not deterministic\nHINT: Pass strings that are identical where values are equal, for example lower(x::text) COLLATE "C".' THEN 'refused'
        ELSE try(statement) END;
END
$$;
DO $$ BEGIN CREATE COLLATION unaccented (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
EXCEPTION WHEN OTHERS THEN NULL; END $$;
SELECT collated('SELECT linear_regression(x, f) FROM words, LATERAL (SELECT plain COLLATE unaccented AS word) AS f') AS row_column,
       collated('SELECT linear_regression(x, plain COLLATE unaccented) FROM words') AS single,
       collated('SELECT naive_bayes(plain COLLATE unaccented, x) FROM words') AS label,
       collated('SELECT knn_classifier(plain COLLATE unaccented, x, 3) FROM words') AS label_of_rows,
       collated('SELECT accuracy(plain, plain COLLATE unaccented) FROM words') AS judged,
       collated('SELECT naive_bayes(plain COLLATE unaccented, x) OVER (ORDER BY id) FROM words') AS windows,
       collated('SELECT log_loss(plain COLLATE unaccented, 0.5) FROM words') AS loss,
       collated('SELECT linear_regression(x, f, ''{"formula": "id", "absorb": "word"}'') FROM words, LATERAL (SELECT id, plain COLLATE unaccented AS word) AS f') AS absorbed,
       collated('SELECT min(probability(m, x, plain COLLATE unaccented)) FROM words, (SELECT naive_bayes(plain, x) AS m FROM words) AS f') AS scored,
       collated('SELECT euclidean_distance(row(plain COLLATE unaccented), row(plain)) FROM words') AS distance;
SELECT linear_regression(x, f) IS NOT NULL AS bytes, naive_bayes(plain COLLATE "C", x) IS NOT NULL AS labels FROM words, LATERAL (SELECT plain COLLATE "C" AS word) AS f;
DROP FUNCTION collated;
DROP COLLATION IF EXISTS unaccented;
DROP TABLE words;
DROP TYPE folded CASCADE;
