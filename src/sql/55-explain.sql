-- the terms of a row's score

CREATE FUNCTION pgfit.explain(model pgfit.model, features "any", OUT class text, OUT term text, OUT contribution float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_explain' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION pgfit.explain(pgfit.model, "any") IS
'Returns the terms that add up to the prediction or decision for a row. "(base)" is the score with all numbers at the means of the training rows and all categories at their reference levels; a feature''s term is what the row''s own value adds. class is NULL if the model has one equation. features as in predict; no rows if a feature is NULL. Fails with wrong_object_type for a model that is not a sum of terms.';
