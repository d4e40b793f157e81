-- scatter matrices of moments, Gram matrices of rows, histograms of distances

CREATE FUNCTION pgfit_textbook.scatter_matrix(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_scatter_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.scatter_matrix(pgfit.model) IS
'Returns the sum of w (x-m)(x-m)'' over the rows of stored moments, with one row and one column per feature. moments: of feature_moments or class_moments, without categories. NULL without rows. Fails with wrong_object_type for another value, data_exception for categorical features.';

CREATE FUNCTION pgfit_textbook.within_scatter(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_within_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.within_scatter(pgfit.model) IS
'Returns the scatter matrix of the rows about the mean of their own class. moments: of class_moments, without categories; errors as in scatter_matrix. within_scatter + between_scatter = scatter_matrix.';

CREATE FUNCTION pgfit_textbook.between_scatter(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_between_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.between_scatter(pgfit.model) IS
'Returns the scatter matrix of the class means about the mean of all rows, each weighted by its rows. moments: of class_moments, without categories; errors as in scatter_matrix.';

CREATE FUNCTION pgfit_textbook.scatter(moments pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_scatter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.scatter(pgfit.model) IS
'Returns the sum of the squared distances of the rows from their mean: the trace of scatter_matrix. moments and errors as there.';

CREATE FUNCTION pgfit.covariance_matrix(moments pgfit.model, sample boolean DEFAULT false) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_covariance_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.covariance_matrix(pgfit.model, boolean) IS
'Returns the covariance matrix of the rows of stored moments: scatter_matrix divided by the sum of weights n, or with sample by n - 1 (with weights by n (rows - 1) / rows). NULL without rows; with sample also for a single row. moments and errors as in scatter_matrix.';

CREATE FUNCTION pgfit.correlation_matrix(moments pgfit.model) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_correlation_matrix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.correlation_matrix(pgfit.model) IS
'Returns Pearson''s correlations of the features of stored moments; elements of a constant feature are NULL. moments and errors as in scatter_matrix.';

CREATE FUNCTION pgfit_internal.gram_step(state internal, features "any", kernel text) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_gram_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.gram_step(internal, "any", text) IS 'Keeps a row for gram_matrix.';

CREATE FUNCTION pgfit_internal.gram_step(state internal, features "any", kernel text, options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_gram_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.gram_step(internal, "any", text, pgfit.call_options) IS 'Keeps a row for gram_matrix.';

CREATE FUNCTION pgfit_internal.gram_final(state internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_gram_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.gram_final(internal) IS 'Returns the Gram matrix of the rows of a state.';

CREATE AGGREGATE pgfit_textbook.gram_matrix(features "any", kernel text) (
    SFUNC = pgfit_internal.gram_step, STYPE = internal, SSPACE = 65536, FINALFUNC = pgfit_internal.gram_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit_textbook.gram_matrix("any", text) IS
'Returns the kernel of every row with every row, in the order in which rows arrive (write ORDER BY inside the call). kernel: as in kernel; rbf takes gamma = 1 / (features x variance of all numbers). Rows with a NULL are skipped. Fails with program_limit_exceeded for more rows than pgfit.fit_mem or an array can hold.';

CREATE AGGREGATE pgfit_textbook.gram_matrix(features "any", kernel text, options pgfit.call_options) (
    SFUNC = pgfit_internal.gram_step, STYPE = internal, SSPACE = 65536, FINALFUNC = pgfit_internal.gram_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit_textbook.gram_matrix("any", text, pgfit.call_options) IS
'Returns the kernel of every row with every row, in the order in which rows arrive. kernel and options as in kernel, the same for all rows of a group. Rows with a NULL are skipped. Fails with invalid_parameter_value for different kernels, program_limit_exceeded for more rows than pgfit.fit_mem or an array can hold.';

CREATE FUNCTION pgfit_textbook.center_gram(gram float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_center_gram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.center_gram(float8[]) IS
'Returns the Gram matrix of the rows minus their mean in the kernel''s space: row means and column means are subtracted, and the mean of all is added. gram: square. Fails with data_exception for another shape, NULL or NaN.';

CREATE FUNCTION pgfit.histogram(model pgfit.model, OUT low float8, OUT high float8, OUT count bigint) RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10 COST 50
BEGIN ATOMIC -- names are looked up now, not along the caller's search_path
    SELECT e.edges[i], e.edges[i + 1], e.counts[i]::bigint
    FROM (SELECT pgfit.parameter($1, 'edges') AS edges, pgfit.parameter($1, 'counts') AS counts OFFSET 0) AS e,
         pg_catalog.generate_series(1, pg_catalog.cardinality(e.counts)) AS i;
END;
COMMENT ON FUNCTION pgfit.histogram(pgfit.model) IS
'Returns the bins of a model of distance_histogram: distances from low up to high (the last bin includes high) and their count. Fails with invalid_parameter_value for another model.';

CREATE FUNCTION pgfit.exemplars(model pgfit.model, OUT exemplar int, OUT features jsonb) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.exemplars(pgfit.model) IS
'Returns the points that represent many rows in a model of centroid, geometric_median, medoid or kmedoids: their number from 1, and their features as a jsonb object, with levels of categories as text, which can be passed as features again. Fails with wrong_object_type for a model without such points.';
