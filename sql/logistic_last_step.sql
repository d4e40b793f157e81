-- an unpenalized logistic regression ends with a last step: its estimates are those of a smaller tolerance
CREATE FUNCTION pg_temp.worst(target text, options jsonb) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    loose pgfit.model;
    tight pgfit.model;
    result float8 := 0;
BEGIN
    FOR s IN 1..60 LOOP
        EXECUTE format($f$SELECT pgfit.logistic_regression(%1$s, x, %2$L::jsonb), pgfit.logistic_regression(%1$s, x, %3$L::jsonb)
                          FROM (SELECT ARRAY[a, b, a * c] AS x, a + 0.5 * b - 0.3 + noise > 0 AS two, (a + noise > 0)::int + (b - noise > 0.5)::int AS three
                                FROM (SELECT sin(i * 1.1 + %4$s) AS a, cos(i * i * 0.7 + %4$s) AS b, sin(i * 3.7) AS c,
                                             ln(u / (1 - u)) AS noise
                                      FROM generate_series(1, 150) AS i, LATERAL (SELECT ((i * 7919 + %4$s * 31) %% 1009 + 0.5) / 1009 AS u) r) d) t$f$,
                       target, options, options || '{"tolerance": 1e-18}', s) INTO loose, tight;
        SELECT greatest(result, max(abs(a - b) / greatest(abs(b), 0.01))) INTO result FROM unnest(test.estimates(loose), test.estimates(tight)) AS e(a, b);
    END LOOP;
    RETURN result;
END
$$;
SELECT target, options, worst < 1e-11 AS exact
FROM unnest('{two,three}'::text[]) AS target,
     unnest(ARRAY['{}', '{"intercept": false}', '{"class_weight": "balanced"}', '{"multiclass": "ovr"}']::jsonb[]) WITH ORDINALITY AS o(options, position),
     pg_temp.worst(target, options) AS worst
ORDER BY target, position;
