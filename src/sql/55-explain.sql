-- what made a row's score

CREATE FUNCTION pgfit.explain(model pgfit.model, features "any", OUT class text, OUT term text, OUT contribution float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_explain' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION pgfit.explain(pgfit.model, "any") IS
'What made the prediction or decision for a row: its terms, which add up to it. "(base)" is the score where all numbers are the means of the training rows and all categories their reference levels; each feature''s term is what the row''s own value adds. class is NULL where the model has one equation. features as in predict; no rows for a NULL feature. wrong_object_type: a model that is no sum of terms.';
