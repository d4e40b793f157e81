-- trees

CREATE FUNCTION pgfit.tree_nodes(model pgfit.model, OUT tree int, OUT node int, OUT parent int, OUT depth int, OUT feature text, OUT threshold float8, OUT levels jsonb, OUT missing text, OUT weight float8, OUT impurity float8, OUT gain float8, OUT value float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.tree_nodes(pgfit.model) IS
'Returns the nodes of a model''s trees, one row each: a node, then its left subtree, then its right one; the left child of node n is n + 1. A split has a feature and sends rows to the left whose number is at most threshold (Infinity: all but NULL), or whose level is in levels; NULL goes where missing says. weight is that of the training rows, gain the decrease of impurity. value: of classes their weights in the order of classes(model), else one number. Fails with wrong_object_type for a model without trees.';

CREATE FUNCTION pgfit.importance(model pgfit.model, OUT feature text, OUT importance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.importance(pgfit.model) IS
'Returns how much each feature contributes to a model''s trees, in the order of the features. This is its share in the decrease of impurity, or of the loss of boosted trees, by all splits; shares add up to 1. Of a forest fitted with "importance": "permutation", how much the out-of-bag error grows when its values are permuted. The shares favor features with many values. Fails with wrong_object_type for a model without importance.';

CREATE FUNCTION pgfit.prune_path(model pgfit.model, OUT alpha float8, OUT leaves int, OUT impurity float8, OUT cv_error float8, OUT chosen boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.prune_path(pgfit.model) IS
'Returns the trees of minimal cost complexity, from the whole tree to its root alone. Columns: from which alpha on the tree is the best, its leaves, its impurity, the cross-validated error (NULL if complexity was given as a number), and whether it is the tree of the model. Fails with wrong_object_type for a model that was not fitted with "prune": "cost_complexity".';

CREATE FUNCTION pgfit.tree_rules(model pgfit.model) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_tree_rules' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.tree_rules(pgfit.model) IS
'Returns the trees of a model as indented text, one line per node: the condition, and of a leaf what it predicts and the weight of its training rows. Fails with wrong_object_type for a model without trees.';

CREATE FUNCTION pgfit_textbook.impurity(counts float8[], criterion text DEFAULT 'gini') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_impurity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_textbook.impurity(float8[], text) IS
'Returns the impurity of class counts or weights: gini sum p (1 - p), entropy -sum p log2 p (bits), sqrt_gini the square root of gini, minority 1 - max p; or of plain numbers: mse about the mean, mae about the median, poisson the mean of y log(y / mean). NULL if there are no rows. Fails with invalid_parameter_value for an unknown criterion, data_exception for a negative count.';

CREATE FUNCTION pgfit_textbook.split_gain(children float8[], criterion text DEFAULT 'gini') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_split_gain' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.split_gain(float8[], text) IS
'Returns the gain of a split: the impurity of all rows minus the mean impurity of the children, by weight. children: a matrix with one row of class counts per child. Criteria of classes, as impurity takes them.';

CREATE FUNCTION pgfit_textbook.relative_impurity(children float8[], criterion text DEFAULT 'gini') RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_relative_impurity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.relative_impurity(float8[], text) IS
'Returns for each child of a split its impurity times its share of the rows, divided by the impurity of all rows; NULL if that is 0. They add up to the relative impurity of the split. children: a matrix with one row of class counts per child. Criteria of classes, as impurity takes them.';
