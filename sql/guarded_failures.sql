-- Which errors become a failed version or candidate, and which go on: those that say something about the server and not about the rows or the options.
SET search_path = public, test, pgfit;
CREATE TABLE stone AS SELECT i AS id, i % 40 / 10.0 AS carat, 100.0 * (i % 40) + i % 7 AS price FROM generate_series(1, 100) AS i;
CREATE FUNCTION failing(state text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = state, MESSAGE = 'state ' || state; END $$;
CREATE FUNCTION state_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
BEGIN
    EXECUTE query INTO message;
    RETURN 'done: ' || message;
EXCEPTION
    WHEN query_canceled THEN RETURN 'query_canceled';
    WHEN others THEN RETURN sqlstate || ' ' || sqlerrm;
END $$;
SET client_min_messages = error;
SELECT state, state_of(format($$SELECT coalesce(message, 'recorded') FROM train('price', 'linear_regression', 'SELECT * FROM stone WHERE failing(''%s'')', 'price ~ carat', '{"on_failure": "record"}')$$, state)) AS trained
FROM unnest(ARRAY['08006', '25006', '40001', '40P01', '53100', '53200', '53300', '53400', '55P03', '57014', '57P01', '58030', '58P01', 'XX000', 'XX001',
                  '0A000', '22012', '22P02', '23505', '42501', '42P01', '54000', '55000', 'P0001']) AS state;
SELECT status, message FROM history('price') ORDER BY version;
-- a search does not rank candidates by what the server lacked: here while the second of two is judged alone
CREATE SEQUENCE calls;
CREATE FUNCTION failing_later(state text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('calls') = 1 THEN RAISE division_by_zero; END IF; -- of both: each is judged alone then
    RETURN currval('calls') < 150 OR failing(state);
END $$;
SELECT state, setval('calls', 1, false) = 1 AS restarted,
       state_of(format($$SELECT string_agg(coalesce(rank::text, message), ', ' ORDER BY rank) FROM search('ridge_regression', 'SELECT * FROM stone WHERE failing_later(''%s'')', 'price ~ carat', '{"lambda": [1, 2]}', '{"folds": 2}')$$, state)) AS search
FROM unnest(ARRAY['22012', '40001', '53200', '55P03', '57014']) AS state;
SELECT drop_model(name) FROM model_names;
RESET client_min_messages;
DROP TABLE stone;
DROP SEQUENCE calls;
DROP FUNCTION failing, failing_later, state_of;
