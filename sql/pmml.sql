-- PMML in and out: each kind of model by hand, what is refused, attacks on the parser, and round trips.
CREATE SCHEMA pmml_test;
SET search_path = pmml_test, public, test, pgfit;
SET client_min_messages = warning;
-- a document of these fields and this model; features: name, type, then levels
CREATE FUNCTION field(name text, levels text[] DEFAULT NULL, type text DEFAULT 'double') RETURNS text LANGUAGE sql AS $$
    SELECT format('<DataField name="%s" optype="%s" dataType="%s">%s</DataField>', name, CASE WHEN levels IS NULL THEN 'continuous' ELSE 'categorical' END,
        CASE WHEN levels IS NULL THEN type ELSE 'string' END, (SELECT string_agg(format('<Value value="%s"/>', l), '') FROM unnest(levels) l)) $$;
CREATE FUNCTION pmml(fields text, model text) RETURNS text LANGUAGE sql AS $$
    SELECT '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header><Application name="hand"/></Header><DataDictionary>' || fields || '</DataDictionary>' || model || '</PMML>' $$;
CREATE FUNCTION schema(fields text[], target text DEFAULT NULL, treatment text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT '<MiningSchema>' || coalesce((SELECT string_agg(format('<MiningField name="%s" %s/>', f, treatment), '') FROM unnest(fields) f), '') || CASE WHEN target IS NULL THEN '' ELSE format('<MiningField name="%s" usageType="target"/>', target) END || '</MiningSchema>' $$;
CREATE TABLE two AS SELECT * FROM (VALUES (1, 0.5::float8, 'u'), (2, 2, 'v'), (3, -1, 'w'), (4, NULL, 'u'), (5, 1, NULL)) AS t(id, x, c);

-- ---- regressions ----
CREATE FUNCTION regression(content text, attributes text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('c', '{u,v}') || field('y'), format('<RegressionModel functionName="regression" %s>%s%s</RegressionModel>', attributes, schema('{x,c}', 'y', 'invalidValueTreatment="asIs"'), content)) $$;
CREATE TABLE line AS SELECT '<RegressionTable intercept="1"><NumericPredictor name="x" coefficient="2"/><CategoricalPredictor name="c" value="v" coefficient="10"/></RegressionTable>'::text AS content;
SELECT id, predict(m, two) = 1 + 2 * x + CASE c WHEN 'v' THEN 10 ELSE 0 END AS predicted FROM line, two, import_model(regression(content)) m ORDER BY id;
SELECT term, estimate FROM line, coefficients(import_model(regression(content)));
SELECT info(m) ->> 'estimator' AS estimator, info(m) -> 'statistics' AS statistics FROM line, import_model(convert_to(regression(content), 'UTF8')) m;
SELECT method, round(predict(m, f)::numeric, 9) = round(expected::numeric, 9) AS link FROM line, (SELECT -0.3::float8 AS x, 'u' AS c) f, (VALUES ('exp', exp(0.4)), ('logit', 1 / (1 + exp(-0.4))), ('softmax', 1 / (1 + exp(-0.4))), ('cloglog', 1 - exp(-exp(0.4))), ('cauchit', 0.5 + atan(0.4) / pi()), ('probit', 0.655421741610324)) AS t(method, expected), import_model(regression(content, format('normalizationMethod="%s"', method))) m;
-- derived fields: (x - 1) / 4 twice over
SELECT predict(m, f) = 5 * ((3 - 1) / 4.0) AS scaled, info(m) ->> 'estimator' AS estimator FROM (SELECT 3::float8 AS x) f, (VALUES ('<NormContinuous field="x"><LinearNorm orig="1" norm="0"/><LinearNorm orig="5" norm="1"/></NormContinuous>'), ('<Apply function="/"><Apply function="-"><FieldRef field="x"/><Constant>1</Constant></Apply><Constant>4</Constant></Apply>')) AS t(expression), import_model(regression('<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double">' || expression || '</DerivedField></LocalTransformations><RegressionTable intercept="0"><NumericPredictor name="d" coefficient="5"/></RegressionTable>')) m;
-- a mean for missing numbers, and a target in other units
SELECT predict(import_model(pmml(field('x') || field('y'), '<RegressionModel functionName="regression"><MiningSchema><MiningField name="x" missingValueReplacement="7"/><MiningField name="y" usageType="target"/></MiningSchema><Targets><Target field="y" rescaleFactor="10" rescaleConstant="3"/></Targets><RegressionTable intercept="1"><NumericPredictor name="x" coefficient="2"/></RegressionTable></RegressionModel>')), f) AS replaced FROM (SELECT NULL::float8 AS x) f;
-- classes: softmax, and one equation for two
CREATE FUNCTION classification(levels text[], content text, attributes text) RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('c', '{u,v}') || field('k', levels), format('<RegressionModel functionName="classification" %s>%s%s</RegressionModel>', attributes, schema('{x,c}', 'k', 'invalidValueTreatment="asIs"'), content)) $$;
CREATE TABLE three AS SELECT import_model(classification('{p,q,r}', '<RegressionTable intercept="1" targetCategory="q"><NumericPredictor name="x" coefficient="2"/></RegressionTable><RegressionTable intercept="-1" targetCategory="r"><CategoricalPredictor name="c" value="v" coefficient="3"/></RegressionTable><RegressionTable intercept="0" targetCategory="p"/>', 'normalizationMethod="softmax"')) AS m;
SELECT classes(m), classify(m, f), round(probability(m, f, 'q')::numeric, 9) = round((exp(2) / (exp(2) + exp(2) + 1))::numeric, 9) AS q FROM three, (SELECT 0.5::float8 AS x, 'v' AS c) f;
SELECT classify(m, f), round(probability(m, f, 'yes')::numeric, 9) = round((1 / (1 + exp(-2)))::numeric, 9) AS yes FROM (SELECT 0.5::float8 AS x, 'u' AS c) f, unnest('{"{no,yes}","{yes,no}"}'::text[]) l, import_model(classification(l::text[], '<RegressionTable intercept="1" targetCategory="yes"><NumericPredictor name="x" coefficient="2"/></RegressionTable><RegressionTable intercept="0" targetCategory="no"/>', 'normalizationMethod="logit"')) m;
-- the form of generalized linear models
CREATE FUNCTION general(attributes text, cells text, target text) RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('c', '{u,v}') || field('y') || field('k', '{no,yes}'), format('<GeneralRegressionModel %s>%s<ParameterList><Parameter name="p0"/><Parameter name="p1"/><Parameter name="p2"/></ParameterList><FactorList><Predictor name="c"/></FactorList><CovariateList><Predictor name="x"/></CovariateList><PPMatrix><PPCell value="1" predictorName="x" parameterName="p1"/><PPCell value="v" predictorName="c" parameterName="p2"/></PPMatrix><ParamMatrix>%s</ParamMatrix></GeneralRegressionModel>', attributes, schema('{x,c}', target), cells)) $$;
SELECT round(ln(predict(m, f))::numeric, 9) AS log_of_mean FROM (SELECT 0.25::float8 AS x, 'v' AS c) f, import_model(general('modelType="generalizedLinear" functionName="regression" linkFunction="log"', '<PCell parameterName="p0" beta="1"/><PCell parameterName="p1" beta="2"/><PCell parameterName="p2" beta="-1.5"/>', 'y')) m;
SELECT round(predict(m, f)::numeric, 9) AS power FROM (SELECT 0.25::float8 AS x, 'v' AS c) f, import_model(general('modelType="generalizedLinear" functionName="regression" linkFunction="power" linkParameter="0.5"', '<PCell parameterName="p0" beta="1"/><PCell parameterName="p1" beta="2"/>', 'y')) m;
SELECT round(probability(m, f, 'yes')::numeric, 9) AS yes FROM (SELECT 0.25::float8 AS x, 'v' AS c) f, import_model(general('modelType="generalizedLinear" functionName="classification" linkFunction="logit" distribution="binomial"', '<PCell targetCategory="yes" parameterName="p0" beta="1"/><PCell targetCategory="yes" parameterName="p2" beta="-1"/>', 'k')) m;

-- ---- trees ----
CREATE FUNCTION tree(nodes text, attributes text DEFAULT '', function text DEFAULT 'regression', treatment text DEFAULT 'invalidValueTreatment="asIs"', type text DEFAULT 'double') RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x', type => type) || field('c', '{u,v}') || field('y') || field('k', '{no,yes}'), format('<TreeModel functionName="%s" %s>%s%s</TreeModel>', function, attributes, schema('{x,c}', CASE function WHEN 'regression' THEN 'y' ELSE 'k' END, treatment), nodes)) $$;
CREATE FUNCTION scores(document text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE m model; BEGIN m := import_model(document);
    RETURN (SELECT string_agg(coalesce(predict(m, two)::text, '-'), ' ' ORDER BY id) FROM two); EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;
CREATE TABLE simple AS SELECT '<Node id="0" score="0"><True/><Node id="1" score="1"><SimplePredicate field="x" operator="lessOrEqual" value="0.5"/></Node><Node id="2" score="2"><SimplePredicate field="x" operator="greaterThan" value="0.5"/></Node></Node>'::text AS nodes;
-- what becomes of missing numbers: rows 1 to 5 have x = 0.5, 2, -1, NULL, 1
SELECT attributes, scores(tree(nodes, attributes)) FROM simple, unnest(ARRAY['', 'noTrueChildStrategy="returnLastPrediction"', 'missingValueStrategy="lastPrediction"', 'missingValueStrategy="nullPrediction"', 'missingValueStrategy="weightedConfidence"']) attributes;
SELECT child, scores(tree(replace(nodes, 'id="0"', format('id="0" defaultChild="%s"', child)), 'missingValueStrategy="defaultChild"')) FROM simple, generate_series(1, 3) child;
SET client_min_messages = notice;
SELECT scores(tree(nodes)) FROM simple;
SET client_min_messages = warning;
-- all operators, categories, unknown levels (w in row 3), tests for missing values, compounds, surrogates
CREATE FUNCTION chooses(predicate text, treatment text DEFAULT 'invalidValueTreatment="asIs"', attributes text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT scores(tree('<Node score="9"><True/><Node score="1">' || predicate || '</Node><Node score="0"><True/></Node></Node>', attributes, treatment => treatment)) $$;
SELECT operator, chooses(format('<SimplePredicate field="x" operator="%s" value="1"/>', operator)) FROM unnest('{lessThan,lessOrEqual,greaterThan,greaterOrEqual,equal,notEqual,isMissing,isNotMissing,like}'::text[]) operator;
SELECT operator, chooses(format('<SimplePredicate field="c" operator="%s" value="v"/>', operator)) FROM unnest('{equal,notEqual,isMissing,isNotMissing,lessThan}'::text[]) operator;
SELECT operator, treatment, chooses(format('<SimpleSetPredicate field="c" booleanOperator="%s"><Array n="2" type="string">"u" v</Array></SimpleSetPredicate>', operator), format('invalidValueTreatment="%s"', treatment)) FROM unnest('{isIn,isNotIn}'::text[]) operator, unnest('{asIs,asMissing,returnInvalid,asValue}'::text[]) treatment;
SELECT operator, chooses(format('<CompoundPredicate booleanOperator="%s"><SimplePredicate field="x" operator="greaterThan" value="0"/><SimplePredicate field="c" operator="equal" value="u"/></CompoundPredicate>', operator)) FROM unnest('{and,or,surrogate,xor}'::text[]) operator;
SELECT chooses('<False/>'), chooses('<True/>');
-- trees without any split were written and then refused
SELECT predict(r, w), probability(c, w, 'yes'), (SELECT string_agg(name, ' ') FROM features(r))
    FROM (SELECT import_model(export_model(tree_regression(y, d), 'pmml')) AS r, import_model(export_model(tree_classifier(k, d), 'pmml')) AS c FROM (VALUES (2, 'no', 1), (2, 'yes', 1)) AS d(y, k, x)) AS f, (SELECT 5 AS x, 2 AS y, 'no' AS k) AS w;
-- floats: 0.1 as a float is above 0.1
SELECT type, predict(import_model(tree('<Node><True/><Node score="1"><SimplePredicate field="x" operator="lessThan" value="0.1"/></Node><Node score="2"><SimplePredicate field="x" operator="greaterOrEqual" value="0.1"/></Node></Node>', type => type)), f) FROM unnest('{double,float}'::text[]) type, (SELECT 0.0999999999::float8 AS x, 'u' AS c) f;
-- classes: shares, and scores that contradict them
CREATE FUNCTION class_tree(score text) RETURNS text LANGUAGE sql AS $$
    SELECT tree(format('<Node><True/><Node score="%s"><SimplePredicate field="x" operator="lessThan" value="0"/><ScoreDistribution value="no" recordCount="3"/><ScoreDistribution value="yes" recordCount="1"/></Node><Node score="yes"><SimplePredicate field="x" operator="greaterOrEqual" value="0"/></Node></Node>', score), function => 'classification') $$;
SELECT id, classify(m, two), probability(m, two, 'yes') FROM two, import_model(class_tree('no')) m WHERE id < 4 ORDER BY id;
SELECT try($$SELECT import_model(class_tree('yes'))$$);

-- ---- several trees ----
CREATE FUNCTION forest(method text, function text DEFAULT 'regression', weights float8[] DEFAULT '{1,3}', scores text[] DEFAULT '{1,2,10,20}', targets text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('y') || field('k', '{no,yes}'), format('<MiningModel functionName="%s">%s%s<Segmentation multipleModelMethod="%s">%s</Segmentation></MiningModel>', function, schema('{x}', CASE function WHEN 'regression' THEN 'y' ELSE 'k' END), targets, method,
        (SELECT string_agg(format('<Segment weight="%s"><True/><TreeModel functionName="%s">%s<Node><True/><Node score="%s"><SimplePredicate field="x" operator="lessThan" value="1"/></Node><Node score="%s"><SimplePredicate field="x" operator="greaterOrEqual" value="1"/></Node></Node></TreeModel></Segment>', weights[t], function, schema('{x}'), scores[2 * t - 1], scores[2 * t]), '' ORDER BY t) FROM generate_series(1, 2) t))) $$;
SELECT method, scores(forest(method)) FROM unnest('{sum,average,weightedAverage,median,modelChain}'::text[]) method;
SELECT scores(forest('sum', targets => '<Targets><Target rescaleFactor="2" rescaleConstant="0.5"/></Targets>')) AS rescaled;
SELECT method, classify(m, f), probability(m, f, 'yes') FROM unnest('{majorityVote,average}'::text[]) method, (SELECT 0 AS x) f, import_model(forest(method, 'classification', scores => '{yes,no,yes,yes}')) m;
SELECT try($$SELECT import_model(forest('weightedMajorityVote', 'classification', scores => '{yes,no,yes,yes}'))$$);
-- boosted classes: chains of sums and a link
CREATE FUNCTION chain(sums int, link text) RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('k', '{no,yes}'), '<MiningModel functionName="classification">' || schema('{x}', 'k') || '<Segmentation multipleModelMethod="modelChain">' ||
        (SELECT string_agg(format('<Segment><True/><MiningModel functionName="regression">%s<Output><OutputField name="s%s" feature="predictedValue"/></Output><Targets><Target rescaleConstant="%s"/></Targets><Segmentation multipleModelMethod="sum"><Segment><True/><TreeModel functionName="regression" noTrueChildStrategy="returnLastPrediction">%s<Node score="2"><True/><Node score="-3"><SimplePredicate field="x" operator="greaterOrEqual" value="1"/></Node></Node></TreeModel></Segment></Segmentation></MiningModel></Segment>', schema('{x}'), s, s, schema('{x}')), '') FROM generate_series(1, sums) s) ||
        '<Segment><True/><RegressionModel functionName="classification" ' || link || '</RegressionModel></Segment></Segmentation></MiningModel>') $$;
SELECT classify(m, f), decision(m, f) FROM (SELECT 0::float8 AS x) f, import_model(chain(1, 'normalizationMethod="logit">' || schema('{}', 'k') || '<RegressionTable intercept="0.25" targetCategory="no"><NumericPredictor name="s1" coefficient="-2"/></RegressionTable><RegressionTable intercept="0" targetCategory="yes"/>')) m;
SELECT classify(m, f), decisions(m, f) FROM (SELECT NULL::float8 AS x) f, import_model(chain(2, 'normalizationMethod="softmax">' || schema('{}', 'k') || '<RegressionTable intercept="0" targetCategory="no"><NumericPredictor name="s1" coefficient="1"/></RegressionTable><RegressionTable intercept="0" targetCategory="yes"><NumericPredictor name="s2" coefficient="1"/></RegressionTable>')) m;
-- sums of very different numbers of trees: a model would have as many for each class
SELECT trees, try(format('SELECT import_model(%L::text) IS NOT NULL', regexp_replace(document, '(<Segment><True/><TreeModel.*?</Segment>)', repeat('\1', trees)))) FROM unnest('{20,60}'::int[]) trees, (SELECT chain(60, 'normalizationMethod="softmax">' || schema('{}', 'k') || string_agg(format('<RegressionTable intercept="0" targetCategory="%s"><NumericPredictor name="s%s" coefficient="1"/></RegressionTable>', CASE i WHEN 1 THEN 'no' WHEN 2 THEN 'yes' ELSE i::text END, i), '' ORDER BY i)) AS document FROM generate_series(1, 60) i) t;

-- a node of many children, of which each sends missing values to the next: neither square time nor square memory
SELECT predict(m, f) FROM (VALUES (0::float8), (2999.5), (1e9), (NULL)) AS f(x), (SELECT import_model(pmml(field('x') || field('y'), '<TreeModel functionName="regression" noTrueChildStrategy="returnLastPrediction">' || schema('{x}', 'y') || '<Node score="-1"><True/>' || string_agg(format('<Node score="%s"><SimplePredicate field="x" operator="lessThan" value="%s"/></Node>', i, i), '' ORDER BY i) || '</Node></TreeModel>')) AS m FROM generate_series(1, 3000) i) t;

-- ---- missing values, by the treatment of fields ----
-- a missing category is none of its levels to a CategoricalPredictor; what is derived of it is missing
CREATE FUNCTION treated(x text, c text, model text) RETURNS text LANGUAGE sql AS $$
    SELECT scores(pmml(field('x') || field('c', '{u,v}') || field('y'), replace(model, '?', format('<MiningSchema><MiningField name="x" %s/><MiningField name="c" %s/><MiningField name="y" usageType="target"/></MiningSchema>', x, c)))) $$;
CREATE TABLE treatments AS SELECT * FROM (VALUES ('', 'invalidValueTreatment="asMissing"'), ('missingValueReplacement="7"', 'invalidValueTreatment="asIs"'), ('missingValueReplacement="7"', 'invalidValueTreatment="asIs" missingValueTreatment="returnInvalid"')) AS t(x, c);
CREATE TABLE derived AS SELECT '<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double"><NormDiscrete field="c" value="v"/></DerivedField></LocalTransformations>'::text AS field;
SELECT x, c, treated(x, c, '<RegressionModel functionName="regression">?<RegressionTable intercept="1"><NumericPredictor name="x" coefficient="2"/><CategoricalPredictor name="c" value="v" coefficient="10"/></RegressionTable></RegressionModel>') AS level,
    treated(x, c, '<RegressionModel functionName="regression">?' || field || '<RegressionTable intercept="1"><NumericPredictor name="x" coefficient="2"/><NumericPredictor name="d" coefficient="10"/></RegressionTable></RegressionModel>') AS derived,
    treated(x, c, '<TreeModel functionName="regression" noTrueChildStrategy="returnLastPrediction">?' || field || '<Node score="9"><True/><Node score="1"><SimplePredicate field="d" operator="equal" value="0"/></Node><Node score="2"><SimplePredicate field="x" operator="lessThan" value="1"/></Node></Node></TreeModel>') AS tree FROM treatments, derived;
SELECT x, c, treated(x, c, '<GeneralRegressionModel functionName="regression" modelType="regression">?<FactorList><Predictor name="c"/></FactorList><CovariateList><Predictor name="x"/></CovariateList><PPMatrix><PPCell value="1" predictorName="x" parameterName="p1"/><PPCell value="v" predictorName="c" parameterName="p2"/></PPMatrix><ParamMatrix><PCell parameterName="p1" beta="2"/><PCell parameterName="p2" beta="10"/></ParamMatrix></GeneralRegressionModel>') AS general FROM treatments;
-- treatment in a segment alone
SELECT treatment, scores(replace(forest('sum'), '<TreeModel functionName="regression"><MiningSchema><MiningField name="x"', '<TreeModel functionName="regression"><MiningSchema><MiningField name="x" ' || treatment)) FROM unnest(ARRAY['missingValueReplacement="5"', 'invalidValueTreatment="asMissing"', 'invalidValueTreatment="returnInvalid"', 'invalidValueTreatment="asIs"', 'missingValueTreatment="returnInvalid"', 'missingValueTreatment="asMean"', 'outliers="asMissingValues"']) treatment;
SELECT treatment, scores(replace(tree(nodes, 'missingValueStrategy="lastPrediction"', treatment => treatment), '<DataField name="x" optype="continuous" dataType="double">', '<DataField name="x" optype="continuous" dataType="double"><Interval closure="closedClosed" leftMargin="0" rightMargin="1"/>')) FROM simple, unnest(ARRAY['invalidValueTreatment="asMissing"', 'invalidValueTreatment="asIs"']) treatment;

-- ---- clusters, naive Bayes, support vectors ----
CREATE FUNCTION clusters(measure text DEFAULT 'squaredEuclidean') RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('a') || field('b'), format('<ClusteringModel modelClass="centerBased" functionName="clustering" numberOfClusters="2">%s<ComparisonMeasure kind="distance"><%s/></ComparisonMeasure><ClusteringField field="b"/><ClusteringField field="a"/><Cluster><Array n="2" type="real">0 10</Array></Cluster><Cluster><Array n="2" type="real">5 1</Array></Cluster></ClusteringModel>', schema('{a,b}'), measure)) $$;
SELECT a, b, cluster(m, f), distance(m, f) FROM import_model(clusters()) m, (VALUES (10::float8, 3::float8), (1, 5)) AS f(a, b);
SELECT try($$SELECT import_model(clusters('cityBlock'))$$);
CREATE FUNCTION bayes(threshold text, inputs text) RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('x') || field('c', '{u,v}') || field('k', '{no,yes}'), format('<NaiveBayesModel functionName="classification" threshold="%s">%s<BayesInputs>%s</BayesInputs><BayesOutput fieldName="k"><TargetValueCounts><TargetValueCount value="no" count="30"/><TargetValueCount value="yes" count="10"/></TargetValueCounts></BayesOutput></NaiveBayesModel>', threshold, schema('{x,c}', 'k'), inputs)) $$;
CREATE TABLE inputs AS SELECT '<BayesInput fieldName="c"><PairCounts value="u"><TargetValueCounts><TargetValueCount value="no" count="15"/><TargetValueCount value="yes" count="0"/></TargetValueCounts></PairCounts><PairCounts value="v"><TargetValueCounts><TargetValueCount value="no" count="15"/><TargetValueCount value="yes" count="10"/></TargetValueCounts></PairCounts></BayesInput>'::text AS counts,
    '<BayesInput fieldName="x"><TargetValueStats><TargetValueStat value="no"><GaussianDistribution mean="0" variance="1"/></TargetValueStat><TargetValueStat value="yes"><GaussianDistribution mean="2" variance="4"/></TargetValueStat></TargetValueStats></BayesInput>'::text AS densities;
SELECT c, round(probability(m, f, 'yes')::numeric, 9) = round((p / (p + q))::numeric, 9) AS yes FROM inputs, import_model(bayes('0.01', counts)) m, (VALUES ('u', 10 * 0.01, 30 * 0.5), ('v', 10, 30 * 0.5)) AS f(c, p, q);
SELECT round(probability(m, f, 'yes')::numeric, 9) = round((p / (p + q))::numeric, 9) AS yes FROM inputs, import_model(bayes('0', densities || replace(counts, 'count="0"', 'count="10"'))) m, (SELECT 1::float8 AS x, 'v' AS c, 10 * exp(-1 / 8.0) / 2 * 0.5 AS p, 30 * exp(-0.5) * 0.5 AS q) f;
SELECT try($$SELECT import_model(bayes('0.001', densities)) FROM inputs$$);
CREATE FUNCTION machine(kernel text, content text, attributes text DEFAULT 'functionName="regression"', target text DEFAULT 'y') RETURNS text LANGUAGE sql AS $$
    SELECT pmml(field('a') || field('b') || field('y') || field('k', '{p,q,r}') || field('l', '{no,yes}'), format('<SupportVectorMachineModel %s>%s%s<VectorDictionary><VectorFields><FieldRef field="b"/><FieldRef field="a"/></VectorFields><VectorInstance id="one"><Array n="2" type="real">1 2</Array></VectorInstance><VectorInstance id="two"><REAL-SparseArray n="2"><Indices>2</Indices><REAL-Entries>3</REAL-Entries></REAL-SparseArray></VectorInstance></VectorDictionary>%s</SupportVectorMachineModel>', attributes, schema('{a,b}', target), kernel, content)) $$;
CREATE FUNCTION one_machine(attributes text DEFAULT '', intercept text DEFAULT '0.5') RETURNS text LANGUAGE sql AS $$
    SELECT format('<SupportVectorMachine %s><SupportVectors><SupportVector vectorId="two"/><SupportVector vectorId="one"/></SupportVectors><Coefficients absoluteValue="%s"><Coefficient value="2"/><Coefficient value="-1"/></Coefficients></SupportVectorMachine>', attributes, intercept) $$;
-- f(a, b) = 0.5 + 2 k((0, 3), (b, a)) - k((1, 2), (b, a)) at b = -1, a = 0.5: products 1.5 and 0, squared distances 7.25 and 6.25
SELECT kernel, round(predict(m, f)::numeric, 9) = round(expected::numeric, 9) AS kernel_value FROM (SELECT 0.5::float8 AS a, -1::float8 AS b) f,
    (VALUES ('<LinearKernelType/>', 3.5), ('<PolynomialKernelType gamma="2" coef0="1" degree="2"/>', 0.5 + 2 * 16 - 1), ('<RadialBasisKernelType gamma="0.1"/>', 0.5 + 2 * exp(-0.725) - exp(-0.625)), ('<SigmoidKernelType gamma="0.5" coef0="0.1"/>', 0.5 + 2 * tanh(0.85) - tanh(0.1))) AS t(kernel, expected), import_model(machine(kernel, one_machine())) m;
SELECT threshold, classify(m, f), decision(m, f) FROM (SELECT 0.5::float8 AS a, -1::float8 AS b) f, unnest('{3,4}'::float8[]) threshold, import_model(machine('<LinearKernelType/>', one_machine(format('targetCategory="no" alternateTargetCategory="yes" threshold="%s"', threshold)), 'functionName="classification"', 'l')) m;
SELECT wins, classify(m, f) FROM (SELECT 0.5::float8 AS a, -1::float8 AS b) f, unnest('{true,false}'::text[]) wins, import_model(machine('<LinearKernelType/>', one_machine('targetCategory="p"', '1') || one_machine('targetCategory="q"', '-4') || one_machine('targetCategory="r"', '2'), format('functionName="classification" classificationMethod="OneAgainstAll" maxWins="%s"', wins), 'k')) m;
SELECT classify(m, f) FROM (SELECT 0.5::float8 AS a, -1::float8 AS b) f, import_model(machine('<LinearKernelType/>', one_machine('targetCategory="q" alternateTargetCategory="p"', '-4') || one_machine('targetCategory="p" alternateTargetCategory="r"', '-4') || one_machine('targetCategory="q" alternateTargetCategory="r"', '-1'), 'functionName="classification" classificationMethod="OneAgainstOne"', 'k')) m;

SELECT try($$SELECT import_model(replace(clusters(), '>0 10<', '>0 1' || repeat('0', 1100) || '<'))$$);

-- ---- refused by name ----
CREATE FUNCTION refused(document text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE state text; message text; BEGIN PERFORM import_model(document, 'pmml'); RETURN 'read'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT; RETURN state || ' ' || message; END $$;
SELECT refused(pmml(field('x'), model)) FROM unnest(ARRAY['', '<NeuralNetwork/>', '<TreeModel/><TreeModel/>', '<TreeModel isScorable="false"/>', '<TreeModel functionName="regression"/>']) model;
SELECT refused(document) FROM line, unnest(ARRAY['<PMML version="3.2"><DataDictionary/></PMML>', '<RSS/>', '<PMML><DataDictionary/></PMML>', regression(replace(content, 'name="x"', 'name="y"')), regression(replace(content, 'name="x"', 'name="z"')), regression(replace(content, 'name="x"', 'name="c"')),
    regression(replace(content, 'coefficient="2"', 'coefficient="2" exponent="3"')), regression(replace(content, 'coefficient="2"', 'coefficient="inf"')), regression(replace(content, 'coefficient="2"', 'coefficient="0x10"')), regression(replace(content, 'coefficient="2"', 'coefficient="1e999"')), regression(content, 'normalizationMethod="loglog"'), regression(content || content),
    replace(regression(content), 'invalidValueTreatment="asIs"', 'outliers="asExtremeValues"'), replace(regression(content), '<DataField name="y"', '<DataField name="x"'), regression('<Targets><Target castInteger="round"/></Targets>' || content),
    regression('<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double"><FieldRef field="d"/></DerivedField></LocalTransformations>' || replace(content, 'name="x"', 'name="d"')),
    regression('<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double"><Discretize field="x"/></DerivedField></LocalTransformations>' || replace(content, 'name="x"', 'name="d"'))]) document;

-- ---- attacks ----
SELECT refused('<!DOCTYPE PMML [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><PMML version="&c;">&c;</PMML>') AS laughs,
    refused('<!DOCTYPE PMML [<!ENTITY x SYSTEM "file:///etc/passwd">]><PMML version="4.4">&x;</PMML>') AS external, refused('<!DOCTYPE PMML SYSTEM "http://localhost/pmml.dtd"><PMML/>') AS loaded, refused('<PMML version="4.4">&x;</PMML>') ~ 'malformed' AS entity;
SELECT refused(repeat('<PMML>', 100000)) AS deep, refused(repeat('<a>', 251) || repeat('</a>', 251)) AS nested, refused('<PMML version="4.4" ' || repeat('x', 60000) || '="1"/>') ~ 'malformed' AS name, refused('<PMML version="4.4"><Header description="' || repeat('x', 10100000) || '"/></PMML>') ~ 'malformed' AS attribute;
SELECT regexp_replace(refused(document), '(malformed).*', '\1') FROM unnest(ARRAY['', '<', '<PMML', '<PMML version="4.4">', '<PMML version="4.4"></pmml>', '<PMML version="4.4" version="4.4"/>', '<PMML/><PMML/>', 'text', '<?xml version="1.0" encoding="UTF-16"?><PMML version="4.4"/>']) document;
SELECT try($$SELECT import_model('\x3c504d4d4c2076657273696f6e3d22342e34223eff3c2f504d4d4c3e'::bytea)$$) ~ 'malformed' AS bytes;
-- older parsers compare each attribute with all others
SELECT refused('<PMML version="4.4" ' || (SELECT string_agg('a' || i || '=""', ' ') FROM generate_series(1, n) i) || '/>') AS attributes, refused('<PMML version="4.4" ' || (SELECT string_agg('xmlns:a' || i || '="a"', ' ') FROM generate_series(1, n) i) || '/>') AS spaces FROM unnest('{200,257,100000}'::int[]) n;
SELECT refused(chr(65279) || '<PMML version="4.4"/>') AS marked;
SET pgfit.fit_mem = '1MB';
SELECT refused('<PMML version="4.4">' || repeat('<Header/>', 20000) || '</PMML>') AS memory;
RESET pgfit.fit_mem;

-- ---- out, and in again ----
CREATE TABLE sample AS SELECT i AS id, round(cos(i)::numeric, 3)::float8 AS x, round(sin(3 * i)::numeric, 3)::float8 AS z, (ARRAY['u', 'v & "w"', '<x>'])[1 + i % 3] AS c, round((cos(i) + i % 3)::numeric, 3)::float8 AS y, i % 4 > 1 AS b, (ARRAY['p', 'q', 'r'])[1 + (i * i) % 3] AS k FROM generate_series(1, 200) i;
CREATE TABLE fitted(name text, m model);
INSERT INTO fitted SELECT 'linear_regression', linear_regression(y, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'ridge pipeline', pipeline(o, s, ridge_regression(y, transform(s, transform(o, sample)), 1)) FROM sample, (SELECT one_hot(t) AS o FROM (SELECT x, c FROM sample) t) a, LATERAL (SELECT standard_scaler(transform(o, t)) AS s FROM (SELECT x, c FROM sample) t) b GROUP BY o, s;
INSERT INTO fitted SELECT 'poisson_regression', poisson_regression(round(abs(y)), s, 'x + c') FROM sample s;
INSERT INTO fitted SELECT 'logistic_regression', logistic_regression(b, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'softmax', logistic_regression(k, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'tree_regression', tree_regression(y, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'tree_classifier', tree_classifier(k, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'tree_classifier of shares', tree_classifier(k, s, '{"formula": "x + z", "max_depth": 1}') FROM sample s;
INSERT INTO fitted SELECT 'forest_regression', forest_regression(y, s, '{"formula": "x + z + c", "n_trees": 5}') FROM sample s;
INSERT INTO fitted SELECT 'forest_classifier', forest_classifier(k, s, '{"formula": "x + z + c", "n_trees": 5}') FROM sample s;
INSERT INTO fitted SELECT 'boosted_trees_regression', boosted_trees_regression(y, s, '{"formula": "x + z + c", "n_trees": 5}') FROM sample s;
INSERT INTO fitted SELECT 'boosted pair', boosted_trees_classifier(b, s, '{"formula": "x + z + c", "n_trees": 5}') FROM sample s;
INSERT INTO fitted SELECT 'boosted classes', boosted_trees_classifier(k, s, '{"formula": "x + z + c", "n_trees": 5}') FROM sample s;
INSERT INTO fitted SELECT 'naive_bayes', naive_bayes(k, s, 'x + z + c') FROM sample s;
INSERT INTO fitted SELECT 'svm_classifier', svm_classifier(k, s, '{"formula": "x + z", "kernel": "rbf"}') FROM sample s;
INSERT INTO fitted SELECT 'svm_regression', svm_regression(y, s, '{"formula": "x + z", "kernel": "polynomial", "degree": 2}') FROM sample s;
INSERT INTO fitted SELECT 'linear machines', svm_classifier(k, s, 'x + z + c') FROM sample s;
CREATE TABLE again AS SELECT name, m, import_model(export_model(m, 'pmml')) AS n FROM fitted;
CREATE FUNCTION numbers(name text, m model, s sample) RETURNS float8[] LANGUAGE sql AS $$ SELECT CASE WHEN name !~ 'classifier|logistic|bayes|softmax|pair|classes|machines' THEN ARRAY[predict(m, s)] WHEN name ~ 'machine|svm' THEN decisions(m, s) ELSE probabilities(m, s) END $$;
CREATE FUNCTION label(name text, m model, s sample) RETURNS text LANGUAGE sql AS $$ SELECT CASE WHEN name ~ 'classifier|logistic|bayes|softmax|pair|classes|machines' THEN classify(m, s)::text END $$;
SELECT name, info(n) ->> 'estimator' AS estimator, bool_and(label(name, m, s) IS NOT DISTINCT FROM label(name, n, s)) AS labels, (SELECT bool_and(coalesce(abs(u.p - u.q) < 1e-9, u.p IS NULL AND u.q IS NULL)) FROM sample r, unnest(numbers(name, m, r), numbers(name, n, r)) u(p, q)) AS numbers, bool_and(numbers(name, m, s) = numbers(name, n, s)) FILTER (WHERE name ~ 'tree|forest|boosted' AND name !~ 'shares') AS exact FROM again, sample s GROUP BY name, m, n ORDER BY name;
SELECT bool_and(cluster(m, ARRAY[x, z]) = cluster(n, ARRAY[x, z])) AS clusters FROM sample, (SELECT m, import_model(export_model(m, 'pmml'), options => '{"features": ["f1", "f2"]}') AS n FROM (SELECT kmeans(ARRAY[x, z], 3, '{"standardize": true}') AS m FROM sample) t) u;
SELECT export_model(linear_regression(y, s, 'x + c'), 'pmml') ~ '<CategoricalPredictor name="c" value="v &#38; &#34;w&#34;" coefficient=' AS escaped FROM sample s;
-- NULLs and unknown levels of trees take the same way
SELECT name, bool_and(predict(m, f) IS NOT DISTINCT FROM predict(n, f)) AS same FROM again, (VALUES (NULL::float8, 0.5::float8, 'u'), (0.2, NULL, '<x>'), (0.1, 0.2, NULL), (0.1, 0.2, 'new')) AS f(x, z, c) WHERE name IN ('tree_regression', 'forest_regression', 'boosted_trees_regression') GROUP BY name ORDER BY name;
-- the first class as the positive one
SELECT bool_and(classify(m, s) = classify(n, s)) AS labels, bool_and(probability(m, s) = probability(n, s)) AS probabilities, classes(n)
FROM sample s, (SELECT m, import_model(export_model(m, 'pmml')) AS n FROM (SELECT boosted_trees_classifier(y > 0, s, '{"formula": "x + z + c", "n_trees": 5, "positive": false}') AS m FROM sample s) t) u GROUP BY n;
-- a machine of a row whose result is 0
SELECT tie, label, classify(m, r) AS class, classify(n, r) = classify(m, r) AS same, decision(n, r) = decision(m, r) AS decision
FROM unnest('{negative,positive}'::text[]) AS tie, (VALUES (1, '{a,b}'::text[]), (2, '{b,a}')) AS l(i, label), (VALUES (0.0)) AS f(x), LATERAL (SELECT f.x) AS r,
    LATERAL (SELECT m, import_model(export_model(m, 'pmml')) AS n FROM (SELECT svm_classifier(v.l, d, jsonb_build_object('kernel', 'rbf', 'gamma', 1, 'C', 0.25, 'tie', tie)) AS m FROM (VALUES (label[1], -1.0), (label[2], 1.0)) AS v(l, x), LATERAL (SELECT v.x) AS d) t) u
ORDER BY tie, i;
-- a tree whose equally likely classes go to the positive one could not be read again
SELECT tie, positive, classify(m, r) AS class, classify(import_model(export_model(m, 'pmml')), r) AS read
FROM unnest('{negative,positive}'::text[]) AS tie, unnest('{a,b}'::text[]) AS positive, LATERAL (SELECT 1.0 AS x) AS r,
    LATERAL (SELECT tree_classifier(l, d, jsonb_build_object('formula', 'x', 'tie', tie, 'positive', positive)) AS m FROM (VALUES ('a', 0.0), ('b', 0), ('a', 1), ('b', 1), ('a', 2)) AS d(l, x)) AS t
ORDER BY 1, 2;
SELECT try($$SELECT import_model(replace(replace(p, 'score="b"', 'score="a"'), '<Node id="2" score="a"', '<Node id="2" score="b"'))
             FROM (SELECT export_model(tree_classifier(l, d, '{"formula": "x", "tie": "positive", "criterion": "gini"}'), 'pmml') AS p FROM (VALUES ('a', 0.0), ('b', 0), ('a', 1), ('b', 1), ('a', 2), ('a', 2)) AS d(l, x)) AS t$$);
-- what cannot go out
SELECT try($$SELECT export_model(linear_regression(y, s, 'log(x + 2)'), 'pmml') FROM sample s$$);
SELECT try($$SELECT export_model(linear_regression(y, ARRAY[x, z]), 'onnx') FROM sample$$);
SELECT try($$SELECT export_model(lda(k, s, 'x + z'), 'pmml') FROM sample s$$);
SELECT try($$SELECT export_model(glm(abs(y) + 1, s, '{"formula": "x", "family": "gamma", "link": "inverse"}'), 'pmml') FROM sample s$$);
SELECT try($$SELECT export_model(moments(y, ARRAY[x]), 'pmml') FROM sample$$);
SELECT try($$SELECT export_model(tree_classifier(y > 0, s, '{"formula": "x", "tie": "null"}'), 'pmml') FROM sample s$$);
-- boosted trees of rows of one class crashed the server process
SELECT (SELECT count(*) FROM regexp_matches(p, '<RegressionTable .*?targetCategory="true"', 'g')) AS tables, p ~ 'normalizationMethod="softmax"' AS softmax
FROM (SELECT export_model(boosted_trees_classifier(true, s, 'x + z'), 'pmml') AS p FROM sample s) AS t;
