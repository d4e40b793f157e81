-- Settings and the comparison of all tests of properties. \ir this file after BEGIN and plan().
SET LOCAL search_path = pgfit, pgfit_textbook, public;
SET LOCAL client_min_messages = warning;

-- true if the numbers agree, relative to the larger one; two NULLs agree
CREATE FUNCTION pg_temp.near(a float8, b float8, tolerance float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT a IS NOT DISTINCT FROM b OR coalesce(abs(a - b) <= tolerance * greatest(abs(a), abs(b), 1e-300), false)
$$;
