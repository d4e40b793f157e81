-- help() and its examples
SET search_path = public, pgfit;
SELECT help('naive_bayes');
SELECT help('split');
SELECT help('decision_rule');
-- a metric: the options of every method are only named
SELECT line FROM help('roc_auc') AS line WHERE line ~ '^  ';

-- without a name: each task once, and each method once, below its task
SELECT count(*) FILTER (WHERE line !~ '^  ') = (SELECT count(DISTINCT task) + 2 FROM estimators()) AS tasks,
       count(*) FILTER (WHERE line ~ '^  [a-z_]+: [^.]+') = (SELECT count(*) FROM estimators()) AS methods FROM help() AS line;
SELECT line FROM help() AS line OFFSET 1 LIMIT 1;

-- of each method: what it is for, every form, every option of its own with its default, and an example
SELECT e.name AS incomplete FROM estimators() AS e,
    LATERAL (SELECT string_agg(line, E'\n') AS text, count(*) FILTER (WHERE line LIKE 'pgfit.' || e.name || '(%) -> model') AS forms FROM help(e.name) AS line) AS h
WHERE NOT starts_with(h.text, e.help) OR h.forms <> (SELECT count(*) FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND proname = e.name)
   OR EXISTS (SELECT FROM options(e.name) AS o WHERE o.name = ANY (e.options) AND position(format('  "%s" = %s: %s', o.name, coalesce(o.default_value, o.type), o.help) IN h.text) = 0)
   OR h.text !~ (E'\nWITH c AS .*\nSELECT pgfit[.]summary[(]pgfit[.]' || e.name || '[(].*FROM c;$');

-- each example runs as it is printed, without a warning
DO $$
DECLARE
    example text;
    result text;
    name text;
BEGIN
    FOR name IN SELECT e.name FROM pgfit_internal.examples() AS e LOOP
        SELECT substring(string_agg(line, E'\n') FROM 'WITH c AS.*;$') INTO example FROM help(name) AS line;
        BEGIN
            EXECUTE example INTO result;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '%: %', name, SQLERRM;
        END;
        IF result IS NULL OR result NOT LIKE name || '%' AND result NOT LIKE '%moments%' AND NOT (name = 'plot' AND result LIKE 'spent by age%' OR name = 'report' AND result LIKE '<!DOCTYPE html>%') THEN
            RAISE WARNING '% does not show what it fitted: %', name, left(result, 60);
        END IF;
    END LOOP;
END $$;
SELECT count(*) > 70 AS examples, count(DISTINCT rows) AS sources FROM pgfit_internal.examples();

-- whatever the search path
RESET search_path;
SELECT line FROM pgfit.help('kmeans') AS line WHERE line LIKE 'pgfit.kmeans(%';

-- no such name
SELECT test.try($$ SELECT pgfit.help('kmaens') $$) ~ 'there is no method or function "kmaens"\s+HINT: Did you mean "kmeans"' AS near;
SELECT test.try($$ SELECT pgfit.help('') $$) ~ 'there is no method or function' AS refused;
