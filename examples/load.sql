-- The example data of the manual: psql -f examples/load.sql, from any folder. Run again, it loads the tables anew.
\set pgfit_stop :ON_ERROR_STOP
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgfit;
CREATE TABLE IF NOT EXISTS diamonds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    carat float8, cut text, color text, clarity text, depth float8, "table" float8, price int,
    x float8, y float8, z float8);
-- penguins near Palmer Station, Antarctica; some of the measurements are missing
CREATE TABLE IF NOT EXISTS penguins (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
-- passengers of the Titanic; the age of every fifth and most decks are not known
CREATE TABLE IF NOT EXISTS titanic (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
TRUNCATE diamonds, penguins, titanic RESTART IDENTITY;
-- a schema shop of somebody else stays as it is
DO $$
BEGIN
    IF to_regnamespace('shop') IS NULL THEN
        CREATE SCHEMA shop;
        COMMENT ON SCHEMA shop IS 'made-up customers and orders for the examples of pgfit';
    ELSIF obj_description(to_regnamespace('shop'), 'pg_namespace') NOT LIKE '%the examples of pgfit' IS NOT FALSE THEN
        RAISE EXCEPTION 'the schema "shop" does not hold the examples of pgfit' USING HINT = 'Load the examples into another database.';
    END IF;
END $$;
-- each file is CSV between a COPY and its end, because \copy cannot name a file relative to this one
\ir diamonds.sql
\ir penguins.sql
\ir titanic.sql
\ir shop.sql
COMMIT;
ANALYZE diamonds, penguins, titanic, shop.customers, shop.products, shop.orders, shop.payments, shop.trial, shop.calendar;
\set ON_ERROR_STOP :pgfit_stop
\unset pgfit_stop
