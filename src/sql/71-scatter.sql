-- scatter matrices of moments, Gram matrices of rows, distances of all pairs

CREATE FUNCTION pgfit.scatter_matrix(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_scatter_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.scatter_matrix(pgfit.model) IS
'The sum of w (x-m)(x-m)'' over the rows of stored moments, a row and a column a feature. moments: of feature_moments or class_moments, without categories. NULL without rows. wrong_object_type: another value; data_exception: categorical features.';

CREATE FUNCTION pgfit.within_scatter(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_within_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.within_scatter(pgfit.model) IS
'The scatter matrix of the rows about the mean of their own class. moments: of class_moments, without categories; errors as in scatter_matrix. within_scatter + between_scatter = scatter_matrix.';

CREATE FUNCTION pgfit.between_scatter(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_between_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.between_scatter(pgfit.model) IS
'The scatter matrix of the means of the classes about the mean of all rows, each counted by its rows. moments: of class_moments, without categories; errors as in scatter_matrix.';

CREATE FUNCTION pgfit.scatter(moments pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.scatter(pgfit.model) IS
'The sum of the squared distances of the rows from their mean: the trace of scatter_matrix. moments and errors as there.';

CREATE FUNCTION pgfit.covariance_matrix(moments pgfit.model, sample boolean DEFAULT false) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_covariance_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.covariance_matrix(pgfit.model, boolean) IS
'The covariance matrix of the rows of stored moments: scatter_matrix divided by the sum of weights n, with sample by n - 1 (weights: n (rows - 1) / rows). NULL without rows, with sample also for one. moments and errors as in scatter_matrix.';

CREATE FUNCTION pgfit.correlation_matrix(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_correlation_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.correlation_matrix(pgfit.model) IS
'Pearson''s correlations of the features of stored moments; NULL elements for a constant feature. moments and errors as in scatter_matrix.';

CREATE FUNCTION pgfit_internal.gram_step(state internal, features "any", kernel text) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_gram_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.gram_step(internal, "any", text) IS 'Support function of gram_matrix: keeps a row.';

CREATE FUNCTION pgfit_internal.gram_step(state internal, features "any", kernel text, options jsonb) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_gram_options_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.gram_step(internal, "any", text, jsonb) IS 'Support function of gram_matrix: keeps a row.';

CREATE FUNCTION pgfit_internal.gram_final(state internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_gram_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.gram_final(internal) IS 'Support function of gram_matrix: the matrix of the rows gathered.';

CREATE AGGREGATE pgfit.gram_matrix(features "any", kernel text) (
    SFUNC = pgfit_internal.gram_step, STYPE = internal, SSPACE = 65536, FINALFUNC = pgfit_internal.gram_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.gram_matrix("any", text) IS
'The kernel of every row with every row, in the order in which rows come (write ORDER BY inside the call). kernel: as in kernel; rbf takes gamma = 1 / (features x variance of all numbers). Rows with a NULL are left out. program_limit_exceeded: more rows than pgfit.fit_mem or an array holds.';

CREATE AGGREGATE pgfit.gram_matrix(features "any", kernel text, options jsonb) (
    SFUNC = pgfit_internal.gram_step, STYPE = internal, SSPACE = 65536, FINALFUNC = pgfit_internal.gram_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.gram_matrix("any", text, jsonb) IS
'The kernel of every row with every row, in the order in which rows come. kernel and options as in kernel, the same for all rows of a group. Rows with a NULL are left out. invalid_parameter_value: different kernels; program_limit_exceeded: more rows than pgfit.fit_mem or an array holds.';

CREATE FUNCTION pgfit.center_gram(gram float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_center_gram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.center_gram(float8[]) IS
'The Gram matrix of the rows less their mean in the kernel''s space: less row means and column means, plus the mean of all. gram: square. data_exception: another shape, NULL, NaN.';

CREATE FUNCTION pgfit.histogram(model pgfit.model, OUT low float8, OUT high float8, OUT count bigint) RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10 COST 50
BEGIN ATOMIC -- names are looked up now, not along the caller's search_path
    SELECT e.edges[i], e.edges[i + 1], e.counts[i]::bigint
    FROM (SELECT pgfit.parameter($1, 'edges') AS edges, pgfit.parameter($1, 'counts') AS counts OFFSET 0) AS e,
         pg_catalog.generate_series(1, pg_catalog.cardinality(e.counts)) AS i;
END;
COMMENT ON FUNCTION pgfit.histogram(pgfit.model) IS
'The bins of a model of distance_histogram: distances from low up to high (the last bin: to high itself) and their number. invalid_parameter_value: another model.';

CREATE FUNCTION pgfit.exemplars(model pgfit.model, OUT exemplar int, OUT features jsonb) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_exemplars' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.exemplars(pgfit.model) IS
'The points that stand for many rows in a model of centroid, geometric_median, medoid or kmedoids: their number from 1, and their features as a jsonb object, levels of categories as text, which can be given as features again. wrong_object_type: a model without such points.';
