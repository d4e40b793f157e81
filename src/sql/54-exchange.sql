-- models of other programs, and models for them

CREATE FUNCTION pgfit.import_model(document jsonb, format text DEFAULT NULL, options pgfit.call_options DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_import_jsonb' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pgfit.import_model(jsonb, text, pgfit.call_options) IS
'Returns the model of a document that another program wrote. format: NULL: recognized from the document. options: features (names in the order of the document), classes (labels in the order of its numbers) and levels (of categorical features, the texts of their codes). NULL if document is NULL. Nothing in the document is run. Fails with data_exception for a damaged document or a model that has no equal here, invalid_parameter_value for an unknown format or names that do not fit.';

CREATE FUNCTION pgfit.import_model(document text, format text DEFAULT NULL, options pgfit.call_options DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_import_bytes' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pgfit.import_model(text, text, pgfit.call_options) IS
'Returns the model of a document that another program wrote as text. Arguments and errors as those of import_model(jsonb).';

CREATE FUNCTION pgfit.import_model(document bytea, format text DEFAULT NULL, options pgfit.call_options DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_import_bytes' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pgfit.import_model(bytea, text, pgfit.call_options) IS
'Returns the model of a document that another program wrote as bytes: a binary file, or a text as it is in the file. Arguments and errors as those of import_model(jsonb).';

CREATE FUNCTION pgfit.export_model(model pgfit.model, format text) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_export_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pgfit.export_model(pgfit.model, text) IS
'Returns a model as a document for another program. format: xgboost, boosted trees as the JSON that XGBoost loads; python, a module that needs only numpy; sql, the expression of to_sql. Fails with wrong_object_type for a model that the format cannot say exactly, invalid_parameter_value for an unknown format.';

CREATE FUNCTION pgfit.export_onnx(model pgfit.model) RETURNS bytea
AS 'MODULE_PATHNAME', 'pgfit_export_onnx' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pgfit.export_onnx(pgfit.model) IS
'Returns a model as an ONNX document, for onnxruntime and other programs. Inputs are the features by name, numbers in double precision and categories as texts, [N, 1] each, or one matrix X, [N, features], of features without names. Outputs are prediction; or label and probabilities or scores; or transformed. NaN stands for NULL. Fails with wrong_object_type for a model that ONNX cannot say exactly.';
