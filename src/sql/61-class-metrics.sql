-- metrics of classes: result types, accuracy, losses of single predictions; see also metrics.tsv

CREATE TYPE pgfit.confusion_cell AS (label text, predicted text, rows bigint, weight float8);
COMMENT ON TYPE pgfit.confusion_cell IS
'A cell of confusion_matrix: the rows of class label that were predicted as predicted.';
CREATE TYPE pgfit.roc_point AS (threshold float8, fpr float8, tpr float8, false_positives float8, true_positives float8, on_hull boolean);
COMMENT ON TYPE pgfit.roc_point IS
'A point of roc_curve: rows with at least the threshold count as predicted positive. The shares of the negative rows (fpr) and of the positive rows (tpr) at or above it, the weights of these rows, and whether the point is a corner of the convex hull.';
CREATE TYPE pgfit.precision_recall_point AS (threshold float8, "precision" float8, recall float8, false_positives float8, true_positives float8);
COMMENT ON TYPE pgfit.precision_recall_point IS
'A point of precision_recall_curve: rows with at least the threshold count as predicted positive.';
CREATE TYPE pgfit.operating_point AS (threshold float8, cost float8, fpr float8, tpr float8, true_positives float8, false_positives float8, false_negatives float8, true_negatives float8);
COMMENT ON TYPE pgfit.operating_point IS
'The result of operating_point: a threshold, the cost of the mistakes there, and weights of rows.';
CREATE TYPE pgfit.silhouette_row AS (number bigint, cluster text, own float8, other float8, silhouette float8, id text);
COMMENT ON TYPE pgfit.silhouette_row IS
'A row of silhouettes: its number in the order of arrival, its cluster, the mean distance to the other rows of the cluster (NULL if there are none), the least mean distance to another cluster, the silhouette, and the id of the row if option id_column names one.';
CREATE TYPE pgfit.calibration_bin AS (lower float8, upper float8, rows bigint, weight float8, mean_predicted float8, positive_share float8);
COMMENT ON TYPE pgfit.calibration_bin IS
'A bin of calibration_curve: the mean of its probabilities and the share of its rows that are positive.';
CREATE TYPE pgfit.score_bin AS (class text, bin int, low float8, high float8, rows bigint, weight float8, share float8);
COMMENT ON TYPE pgfit.score_bin IS
'A bin of score_histogram for one class: its number from 1 (0: below the range, the number of bins + 1: above it), where it begins and ends, its rows, their weight, and the share of the class that they are.';

CREATE FUNCTION pgfit_internal.accuracy_step(state float8[], label "any", predicted "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_accuracy_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.accuracy_step(float8[], "any", "any") IS
'Adds a row to a state of accuracy, in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.accuracy_step(state float8[], label "any", predicted "any", weight float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_accuracy_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.accuracy_step(float8[], "any", "any", float8) IS
'Adds a weighted row to a state of accuracy, in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.accuracy_merge(state float8[], other float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_accuracy_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.accuracy_merge(float8[], float8[]) IS
'Merges two states of accuracy. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.accuracy_final(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_accuracy_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.accuracy_final(float8[]) IS 'Returns the result of accuracy from a state.';

CREATE AGGREGATE pgfit.accuracy(label "any", predicted "any") (
    SFUNC = pgfit_internal.accuracy_step, STYPE = float8[], SSPACE = 64, FINALFUNC = pgfit_internal.accuracy_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.accuracy_merge, INITCOND = '{0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.accuracy("any", "any") IS
'Returns the share of rows whose prediction equals the label, 0 to 1. Labels may have any type; different types are compared as text, so classify(model, features) can be compared with a label of any type. Rows with a NULL are skipped. NULL without rows.';

CREATE AGGREGATE pgfit.accuracy(label "any", predicted "any", weight float8) (
    SFUNC = pgfit_internal.accuracy_step, STYPE = float8[], SSPACE = 64, FINALFUNC = pgfit_internal.accuracy_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.accuracy_merge, INITCOND = '{0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.accuracy("any", "any", float8) IS
'Returns the share of rows whose prediction equals the label, 0 to 1, by weight. Labels may have any type; different types are compared as text. Rows with a NULL or weight 0 are skipped. NULL without rows. Fails with data_exception for a weight that is negative or not finite.';

CREATE FUNCTION pgfit_textbook.loss(actual float8, predicted float8, loss text, epsilon float8 DEFAULT 0.1) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_loss' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_textbook.loss(float8, float8, text, float8) IS
'Returns the loss of one prediction: absolute, squared, or epsilon_insensitive (max(0, |actual - predicted| - epsilon)); or of a score, for a class actual of -1 or 1: zero_one (1 if the signs differ or the score is 0), hinge (max(0, 1 - actual predicted)), logistic (log(1 + exp(-actual predicted)), in nats). Fails with invalid_parameter_value for an unknown loss or a negative epsilon, data_exception for another class, NaN or infinity.';
