-- metrics of classes: result types, losses of single predictions; see also metrics.tsv

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
CREATE TYPE pgfit.gain_point AS (bin int, threshold float8, rows bigint, weight float8, positive_share float8, share float8, gain float8, lift float8);
COMMENT ON TYPE pgfit.gain_point IS
'A bin of gain_curve, the highest scores first: its number, its lowest score, its rows, their weight and the share of them that is positive; and of this bin and those before, the share of all rows, the share of the positive rows (gain), and gain / share (lift).';
CREATE TYPE pgfit.auc_interval AS (auc float8, std_error float8, conf_low float8, conf_high float8);
COMMENT ON TYPE pgfit.auc_interval IS
'The result of roc_auc_interval: the area under the ROC curve, its standard error and its confidence limits; these are NULL if a class has fewer than two rows.';
CREATE TYPE pgfit.score_bin AS (class text, bin int, low float8, high float8, rows bigint, weight float8, share float8);
COMMENT ON TYPE pgfit.score_bin IS
'A bin of score_histogram for one class: its number from 1 (0: below the range, the number of bins + 1: above it), where it begins and ends, its rows, their weight, and the share of the class that they are.';
CREATE TYPE pgfit.survival_point AS (time float8, at_risk float8, events float8, censored float8, survival float8, std_error float8, conf_low float8, conf_high float8);
COMMENT ON TYPE pgfit.survival_point IS
'A time of kaplan_meier: the weight of the rows at risk just before it, that of those with the event and of those censored at it, and the share that survives it with its standard error and confidence limits (NULL once no row survives).';
CREATE TYPE pgfit.survival_median AS (median float8, conf_low float8, conf_high float8);
COMMENT ON TYPE pgfit.survival_median IS
'The result of median_survival: the time that half of the rows survive, and its confidence limits; NULL where the curve or its limit does not come down to a half.';

CREATE FUNCTION pgfit_textbook.loss(actual float8, predicted float8, loss text, epsilon float8 DEFAULT 0.1) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_loss' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_textbook.loss(float8, float8, text, float8) IS
'Returns the loss of one prediction: absolute, squared, or epsilon_insensitive (max(0, |actual - predicted| - epsilon)); or of a score, for a class actual of -1 or 1: zero_one (1 if the signs differ or the score is 0), hinge (max(0, 1 - actual predicted)), logistic (log(1 + exp(-actual predicted)), in nats). Fails with invalid_parameter_value for an unknown loss or a negative epsilon, data_exception for another class, NaN or infinity.';
