-- Models that LightGBM trained, as it saves them, and what it makes of some rows. Written by test/exchange/lightgbm_models.py.
\set ECHO none
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE lightgbm_documents (name text, document text, dump jsonb, rows jsonb, shapley jsonb, number int GENERATED ALWAYS AS IDENTITY);
-- Returns the scores of a row before the link.
CREATE FUNCTION lightgbm_sums(m model, r jsonb) RETURNS float8[] LANGUAGE plpgsql AS $$
BEGIN
    IF info(m) ->> 'estimator' = 'boosted_trees_classifier' THEN
        RETURN decisions(m, r);
    END IF;
    RETURN ARRAY[predict(regexp_replace(m::text, '"link":{"i64":.[12].}', '"link":{"i64":[0]}')::model, r)];
END $$;
-- Returns a score of LightGBM before the link as the model has it: divided by the iterations if it is a mean, and stretched.
CREATE FUNCTION lightgbm_stretched(score float8, document text, m model) RETURNS float8 LANGUAGE sql AS $$
    SELECT score / CASE WHEN document ~ '\naverage_output\n' THEN (info(m) ->> 'iterations')::float8 ELSE 1 END
           * coalesce(substring(document FROM 'objective=[^\n]*sigmoid:([0-9.]+)')::float8, 1)
$$;
-- Scores the rows. scores: how many have other bits than LightGBM's; predictions: how many are off by more than exp rounds.
CREATE FUNCTION lightgbm_compared(m model, document text, rows jsonb, OUT count int, OUT scores int, OUT predictions int) LANGUAGE plpgsql AS $$
DECLARE
    one jsonb; wanted float8[]; got float8[];
BEGIN
    count := jsonb_array_length(rows); scores := 0; predictions := 0;
    FOR one IN SELECT jsonb_array_elements(rows) LOOP
        wanted := ARRAY(SELECT lightgbm_stretched(e::float8, document, m) FROM jsonb_array_elements_text(one -> 1) e);
        scores := scores + (lightgbm_sums(m, one -> 0) <> wanted)::int;
        wanted := ARRAY(SELECT e::float8 FROM jsonb_array_elements_text(one -> 2) e);
        got := CASE WHEN info(m) ->> 'estimator' <> 'boosted_trees_classifier' THEN ARRAY[predict(m, one -> 0)] WHEN cardinality(wanted) = 1 THEN ARRAY[probability(m, one -> 0)] ELSE probabilities(m, one -> 0) END;
        predictions := predictions + coalesce((SELECT max((abs(a - b) > 1e-14 * abs(b))::int) FROM unnest(got, wanted) AS u(a, b)), 1);
    END LOOP;
END $$;
INSERT INTO lightgbm_documents VALUES ('regression', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=3
objective=regression
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=581 571 585

Tree=0
num_leaves=5
num_cat=1
split_feature=0 1 1 2
split_gain=191.136 98.2162 81.9728 33.1503
threshold=-0.046077343643829413 1.5000000000000002 -1.0000000180025095e-35 0
decision_type=8 2 2 9
left_child=2 -2 -1 -4
right_child=1 -3 3 -5
leaf_value=-0.44696376189723563 0.45488565616705084 1.1272743350818444 0.0032548390956865791 0.47391667212818211
leaf_weight=44 126 48 37 45
leaf_count=44 126 48 37 45
internal_value=0.368677 0.640372 -0.0065203 0.229815
internal_weight=300 174 126 82
internal_count=300 174 126 82
cat_boundaries=0 1
cat_threshold=9
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=93.6511 62.0375 27.5014 27.1523
threshold=0.56079578507079153 1.5000000000000002 -1.0000000180025095e-35 -0.93445620125514728
decision_type=8 2 2 10
left_child=1 3 -2 -1
right_child=2 -3 -4 -5
leaf_value=-0.68678754099777772 0.0019190119206905368 0.16976496285504916 0.40898757088410709 -0.24014828525559634
leaf_weight=28 40 55 79 98
leaf_count=28 40 55 79 98
internal_value=-0.00346911 -0.184682 0.272158 -0.339401
internal_weight=300 181 119 126
internal_count=300 181 119 126
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=2
split_feature=2 3 1 1
split_gain=68.0784 42.082 22.8187 16.1505
threshold=0 1 1.0000000180025095e-35 2.5000000000000004
decision_type=9 1 2 2
left_child=2 -2 -1 -3
right_child=1 3 -4 -5
leaf_value=-0.4019627648976542 0.36318077868358656 -0.10781328660730077 -0.067597690068077351 0.34635960141817734
leaf_weight=62 78 76 69 14.999999999999998
leaf_count=62 78 76 69 15
internal_value=-0.00208146 0.161796 -0.209829 -0.0296873
internal_weight=300 169 131 91
internal_count=300 169 131 91
cat_boundaries=0 1 2
cat_threshold=9 51
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
count=6
width=3
kind=2
rank=1

parameters:
[boosting: gbdt]
[objective: regression]
[metric: l2]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 3, "objective": "regression", "average_output": false, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 1, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 191.13600158691406, "threshold": -0.04607734364382941, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.368677, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 81.9728012084961, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0065203, "internal_weight": 126, "internal_count": 126, "left_child": {"leaf_index": 0, "leaf_value": -0.44696376189723563, "leaf_weight": 44, "leaf_count": 44}, "right_child": {"split_index": 3, "split_feature": 2, "split_gain": 33.150299072265625, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": 0.229815, "internal_weight": 82, "internal_count": 82, "left_child": {"leaf_index": 3, "leaf_value": 0.003254839095686579, "leaf_weight": 37, "leaf_count": 37}, "right_child": {"leaf_index": 4, "leaf_value": 0.4739166721281821, "leaf_weight": 45, "leaf_count": 45}}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 98.21620178222656, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.640372, "internal_weight": 174, "internal_count": 174, "left_child": {"leaf_index": 1, "leaf_value": 0.45488565616705084, "leaf_weight": 126, "leaf_count": 126}, "right_child": {"leaf_index": 2, "leaf_value": 1.1272743350818444, "leaf_weight": 48, "leaf_count": 48}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 93.6511001586914, "threshold": 0.5607957850707915, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.00346911, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 62.037498474121094, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.184682, "internal_weight": 181, "internal_count": 181, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 27.152299880981445, "threshold": -0.9344562012551473, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -0.339401, "internal_weight": 126, "internal_count": 126, "left_child": {"leaf_index": 0, "leaf_value": -0.6867875409977777, "leaf_weight": 28, "leaf_count": 28}, "right_child": {"leaf_index": 4, "leaf_value": -0.24014828525559634, "leaf_weight": 98, "leaf_count": 98}}, "right_child": {"leaf_index": 2, "leaf_value": 0.16976496285504916, "leaf_weight": 55, "leaf_count": 55}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 27.501399993896484, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.272158, "internal_weight": 119, "internal_count": 119, "left_child": {"leaf_index": 1, "leaf_value": 0.0019190119206905368, "leaf_weight": 40, "leaf_count": 40}, "right_child": {"leaf_index": 3, "leaf_value": 0.4089875708841071, "leaf_weight": 79, "leaf_count": 79}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 2, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 2, "split_gain": 68.07839965820312, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": -0.00208146, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 22.818700790405273, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.209829, "internal_weight": 131, "internal_count": 131, "left_child": {"leaf_index": 0, "leaf_value": -0.4019627648976542, "leaf_weight": 62, "leaf_count": 62}, "right_child": {"leaf_index": 3, "leaf_value": -0.06759769006807735, "leaf_weight": 69, "leaf_count": 69}}, "right_child": {"split_index": 1, "split_feature": 3, "split_gain": 42.082000732421875, "threshold": "0||1||4||5", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.161796, "internal_weight": 169, "internal_count": 169, "left_child": {"leaf_index": 1, "leaf_value": 0.36318077868358656, "leaf_weight": 78, "leaf_count": 78}, "right_child": {"split_index": 3, "split_feature": 1, "split_gain": 16.15049934387207, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0296873, "internal_weight": 91, "internal_count": 91, "left_child": {"leaf_index": 2, "leaf_value": -0.10781328660730077, "leaf_weight": 76, "leaf_count": 76}, "right_child": {"leaf_index": 4, "leaf_value": 0.34635960141817734, "leaf_weight": 14.999999999999998, "leaf_count": 15}}}}}], "feature_importances": {"width": 3, "count": 6, "kind": 2, "rank": 1}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [1.8826215073841288], [1.8826215073841288]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [0.8199854467713279], [0.8199854467713279]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [0.3489913814804406], [0.3489913814804406]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [0.9900412364014086], [0.9900412364014086]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [0.5969491655561723], [0.5969491655561723]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [1.0068624136668178], [1.0068624136668178]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [0.8199854467713279], [0.8199854467713279]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [-0.7949253337601327], [-0.7949253337601327]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [0.10542211188265839], [0.10542211188265839]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [1.899442684649538], [1.899442684649538]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [0.10542211188265839], [0.10542211188265839]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [0.125955100265285], [0.125955100265285]]]', '{"width": 0.5520031601034772, "count": -0.5411689983833864, "kind": 0.26550565296566064, "rank": 0.18395211242355528, "(base)": 0.35969351966202123}');
INSERT INTO lightgbm_documents VALUES ('regression, numbers about 0', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression_l1
feature_names=width count
feature_infos=[-2.1768136494850046:2.7736316673693673] [-2:3]
tree_sizes=570 577 599

Tree=0
num_leaves=5
num_cat=0
split_feature=1 0 1 0
split_gain=52.9294 20.2858 12.5747 10.4506
threshold=1.0000000180025095e-35 1.3995600783331492 2.5000000000000004 -0.30056413899762618
decision_type=2 2 2 2
left_child=1 3 -2 -1
right_child=2 -3 -4 -5
leaf_value=-0.45520230531692507 0.47961045503616334 1.0071940779685975 0.99978789091110232 0.18706225156784057
leaf_weight=51 103 11.999999999999998 45 89
leaf_count=51 103 12 45 89
internal_value=0.3 0.134211 0.47027 0.0914286
internal_weight=300 152 148 140
internal_count=300 152 148 140
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=39.1328 15.8123 5.66274 6.72549
threshold=-0.30056413899762618 2.5000000000000004 -1.4999999999999998 1.161952789086641
decision_type=2 2 2 2
left_child=-1 2 3 -2
right_child=1 -3 -4 -5
leaf_value=-0.45312139034271248 -0.25482490181922918 0.41987272739410408 0.061279220581054686 0.17621054172515868
leaf_weight=51 28 45 170 5.9999999999999991
leaf_count=51 28 45 170 6
internal_value=0.0133333 0.0787149 0.0313725 -0.117647
internal_weight=300 249 204 34
internal_count=300 249 204 34
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=0
split_feature=1 0 0 0
split_gain=23.146 9.69415 5.96778 4.30629
threshold=-1.0000000180025095e-35 -1.0000000180025095e-35 1.5696049255767623 -0.81262676188324467
decision_type=2 2 2 2
left_child=1 -1 -3 -2
right_child=3 2 -4 -5
leaf_value=-0.32701966381073 -0.31576714897155761 -0.11079035133123397 0.34055140209197998 0.11642267894744873
leaf_weight=44 5.9999999999999991 52 6.9999999999999991 191
leaf_count=44 6 52 7 191
internal_value=-0.0133333 -0.16699 -0.0610169 0.0670051
internal_weight=300 103 59 197
internal_count=300 103 59 197
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=7
count=5

parameters:
[boosting: gbdt]
[objective: regression_l1]
[metric: l1]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 0]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "objective": "regression_l1", "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.1768136494850046, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 52.92940139770508, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.3, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 20.28580093383789, "threshold": 1.3995600783331492, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.134211, "internal_weight": 152, "internal_count": 152, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 10.450599670410156, "threshold": -0.3005641389976262, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0914286, "internal_weight": 140, "internal_count": 140, "left_child": {"leaf_index": 0, "leaf_value": -0.45520230531692507, "leaf_weight": 51, "leaf_count": 51}, "right_child": {"leaf_index": 4, "leaf_value": 0.18706225156784057, "leaf_weight": 89, "leaf_count": 89}}, "right_child": {"leaf_index": 2, "leaf_value": 1.0071940779685975, "leaf_weight": 11.999999999999998, "leaf_count": 12}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 12.574700355529785, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.47027, "internal_weight": 148, "internal_count": 148, "left_child": {"leaf_index": 1, "leaf_value": 0.47961045503616334, "leaf_weight": 103, "leaf_count": 103}, "right_child": {"leaf_index": 3, "leaf_value": 0.9997878909111023, "leaf_weight": 45, "leaf_count": 45}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 39.1328010559082, "threshold": -0.3005641389976262, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0133333, "internal_weight": 300, "internal_count": 300, "left_child": {"leaf_index": 0, "leaf_value": -0.4531213903427125, "leaf_weight": 51, "leaf_count": 51}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 15.812299728393555, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0787149, "internal_weight": 249, "internal_count": 249, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 5.662740230560303, "threshold": -1.4999999999999998, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0313725, "internal_weight": 204, "internal_count": 204, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 6.725490093231201, "threshold": 1.161952789086641, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.117647, "internal_weight": 34, "internal_count": 34, "left_child": {"leaf_index": 1, "leaf_value": -0.2548249018192292, "leaf_weight": 28, "leaf_count": 28}, "right_child": {"leaf_index": 4, "leaf_value": 0.17621054172515868, "leaf_weight": 5.999999999999999, "leaf_count": 6}}, "right_child": {"leaf_index": 3, "leaf_value": 0.061279220581054686, "leaf_weight": 170, "leaf_count": 170}}, "right_child": {"leaf_index": 2, "leaf_value": 0.4198727273941041, "leaf_weight": 45, "leaf_count": 45}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 23.145999908447266, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0133333, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 9.6941499710083, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.16699, "internal_weight": 103, "internal_count": 103, "left_child": {"leaf_index": 0, "leaf_value": -0.32701966381073, "leaf_weight": 44, "leaf_count": 44}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 5.967780113220215, "threshold": 1.5696049255767623, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0610169, "internal_weight": 59, "internal_count": 59, "left_child": {"leaf_index": 2, "leaf_value": -0.11079035133123397, "leaf_weight": 52, "leaf_count": 52}, "right_child": {"leaf_index": 3, "leaf_value": 0.34055140209198, "leaf_weight": 6.999999999999999, "leaf_count": 7}}}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 4.306290149688721, "threshold": -0.8126267618832447, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0670051, "internal_weight": 197, "internal_count": 197, "left_child": {"leaf_index": 1, "leaf_value": -0.3157671489715576, "leaf_weight": 5.999999999999999, "leaf_count": 6}, "right_child": {"leaf_index": 4, "leaf_value": 0.11642267894744873, "leaf_weight": 191, "leaf_count": 191}}}}], "feature_importances": {"width": 7, "count": 5}, "pandas_categorical": []}', '[[{"width": 1e-36, "count": 3.0}, [1.5360832972526552], [1.5360832972526552]], [{"width": 0.8298553070613239, "count": -1.0}, [0.13755112081766127], [0.13755112081766127]], [{"width": 0.9620005318430944, "count": -2.0}, [-0.17855300158262258], [-0.17855300158262258]], [{"width": 1e-36, "count": 3.0}, [1.5360832972526552], [1.5360832972526552]], [{"width": 1e-36, "count": 1.0}, [0.6573123545646667], [0.6573123545646667]], [{"width": 1e-36, "count": 3.0}, [1.5360832972526552], [1.5360832972526552]], [{"width": null, "count": -2.0}, [-0.17855300158262258], [-0.17855300158262258]], [{"width": -0.548944785564265, "count": -1.0}, [-1.2353433594703676], [-1.2353433594703676]], [{"width": 1e-36, "count": 2.0}, [0.6573123545646667], [0.6573123545646667]], [{"width": 1e-36, "count": 3.0}, [1.5360832972526552], [1.5360832972526552]], [{"width": 1e-36, "count": 3.0}, [1.5360832972526552], [1.5360832972526552]], [{"width": 1e-36, "count": 1.0}, [0.6573123545646667], [0.6573123545646667]]]', '{"width": 0.24430308820494528, "count": -0.44878738125412176, "(base)": 0.3420354138668378}');
INSERT INTO lightgbm_documents VALUES ('regression of a mean', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=3
objective=regression
average_output
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=562 566 571

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=112.427 73.0223 41.8295 29.2133
threshold=-0.17981696338850534 1.5000000000000002 1.5000000000000002 1.3406303024396975
decision_type=8 2 2 10
left_child=1 -1 3 -2
right_child=2 -3 -4 -5
leaf_value=-1.3730745579357584 0.38328205287999784 0.95762239598281063 2.0808059323681469 2.1658129209673005
leaf_weight=41 56 20 31 10.999999999999998
leaf_count=41 56 20 31 11
internal_value=0.456913 -0.608912 1.12033 0.675936
internal_weight=159 61 98 67
internal_count=159 61 98 67
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=116.326 56.7043 49.2788 19.709
threshold=-0.046077343643829413 1.5000000000000002 -1.0000000180025095e-35 1.3228266008692799
decision_type=8 2 2 10
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=-1.8051913804506572 0.3548483696307419 2.3818597904398731 0.002559570618639595 2.1401900782064711
leaf_weight=25 53 24 38 6.9999999999999991
leaf_count=25 53 24 38 7
internal_value=0.312384 1.08277 -0.714802 0.563138
internal_weight=147 84 63 60
internal_count=147 84 63 60
is_linear=0
shrinkage=1


Tree=2
num_leaves=5
num_cat=1
split_feature=0 1 1 3
split_gain=122.606 52.4901 27.5844 15.2168
threshold=-0.046077343643829413 1.5000000000000002 1.0000000180025095e-35 0
decision_type=8 2 2 1
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=-1.32099282282454 0.95846067821468806 2.3341138643252615 -0.028019904579233479 0.022126729816664026
leaf_weight=33 31 26 33 23
leaf_count=33 31 26 33 23
internal_value=0.334405 1.16676 -0.674506 0.604695
internal_weight=146 80 66 54
internal_count=146 80 66 54
cat_boundaries=0 1
cat_threshold=51
is_linear=0
shrinkage=1


end of trees

feature_importances:
count=6
width=5
rank=1

parameters:
[boosting: rf]
[objective: regression]
[metric: l2]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 0.5]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 1]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 3, "objective": "regression", "average_output": true, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 112.427001953125, "threshold": -0.17981696338850534, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.456913, "internal_weight": 159, "internal_count": 159, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 73.02230072021484, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.608912, "internal_weight": 61, "internal_count": 61, "left_child": {"leaf_index": 0, "leaf_value": -1.3730745579357584, "leaf_weight": 41, "leaf_count": 41}, "right_child": {"leaf_index": 2, "leaf_value": 0.9576223959828106, "leaf_weight": 20, "leaf_count": 20}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 41.829498291015625, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.12033, "internal_weight": 98, "internal_count": 98, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 29.213300704956055, "threshold": 1.3406303024396975, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.675936, "internal_weight": 67, "internal_count": 67, "left_child": {"leaf_index": 1, "leaf_value": 0.38328205287999784, "leaf_weight": 56, "leaf_count": 56}, "right_child": {"leaf_index": 4, "leaf_value": 2.1658129209673005, "leaf_weight": 10.999999999999998, "leaf_count": 11}}, "right_child": {"leaf_index": 3, "leaf_value": 2.080805932368147, "leaf_weight": 31, "leaf_count": 31}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 116.32599639892578, "threshold": -0.04607734364382941, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.312384, "internal_weight": 147, "internal_count": 147, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 49.27880096435547, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.714802, "internal_weight": 63, "internal_count": 63, "left_child": {"leaf_index": 0, "leaf_value": -1.8051913804506572, "leaf_weight": 25, "leaf_count": 25}, "right_child": {"leaf_index": 3, "leaf_value": 0.002559570618639595, "leaf_weight": 38, "leaf_count": 38}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 56.70429992675781, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.08277, "internal_weight": 84, "internal_count": 84, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 19.708999633789062, "threshold": 1.32282660086928, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.563138, "internal_weight": 60, "internal_count": 60, "left_child": {"leaf_index": 1, "leaf_value": 0.3548483696307419, "leaf_weight": 53, "leaf_count": 53}, "right_child": {"leaf_index": 4, "leaf_value": 2.140190078206471, "leaf_weight": 6.999999999999999, "leaf_count": 7}}, "right_child": {"leaf_index": 2, "leaf_value": 2.381859790439873, "leaf_weight": 24, "leaf_count": 24}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 1, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 122.60600280761719, "threshold": -0.04607734364382941, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.334405, "internal_weight": 146, "internal_count": 146, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 27.584400177001953, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.674506, "internal_weight": 66, "internal_count": 66, "left_child": {"leaf_index": 0, "leaf_value": -1.32099282282454, "leaf_weight": 33, "leaf_count": 33}, "right_child": {"leaf_index": 3, "leaf_value": -0.02801990457923348, "leaf_weight": 33, "leaf_count": 33}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 52.4901008605957, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.16676, "internal_weight": 80, "internal_count": 80, "left_child": {"split_index": 3, "split_feature": 3, "split_gain": 15.21679973602295, "threshold": "0||1||4||5", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.604695, "internal_weight": 54, "internal_count": 54, "left_child": {"leaf_index": 1, "leaf_value": 0.958460678214688, "leaf_weight": 31, "leaf_count": 31}, "right_child": {"leaf_index": 4, "leaf_value": 0.022126729816664026, "leaf_weight": 23, "leaf_count": 23}}, "right_child": {"leaf_index": 2, "leaf_value": 2.3341138643252615, "leaf_weight": 26, "leaf_count": 26}}}}], "feature_importances": {"width": 5, "count": 6, "rank": 1}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [6.7967795871332815], [2.265593195711094]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [1.6965911007254277], [0.5655303669084759]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [0.7602571523274038], [0.25341905077580124]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [0.9321620620222166], [0.3107206873407389]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [-1.3985348918963523], [-0.4661782972987841]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [0.9321620620222166], [0.3107206873407389]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [1.6965911007254277], [0.5655303669084759]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [-4.499258761210955], [-1.4997529204036517]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [0.9321620620222166], [0.3107206873407389]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [6.7967795871332815], [2.265593195711094]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [0.9321620620222166], [0.3107206873407389]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [0.35782171891940395], [0.11927390630646799]]]', '{"width": 2.1073095548218816, "count": -1.7611510357800257, "kind": 0.0, "rank": 0.2633914285145139, "(base)": 1.0870411531690576}');
INSERT INTO lightgbm_documents VALUES ('poisson', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=3
objective=poisson
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=637 657 673

Tree=0
num_leaves=5
num_cat=0
split_feature=1 0 0 0
split_gain=537.88 870.862 187.075 99.0307
threshold=2.5000000000000004 1.0848487284861525 1.4122774794450443 -0.25207582674731971
decision_type=2 10 10 8
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=1.4082310254355175 1.4867272796833984 3.5806470027902688 1.8624798296127785 1.9077984115680291
leaf_weight=2175.9000015258789 155.42142868041992 45.712184906005859 155.42142868041992 210.27605056762695
leaf_count=238 17 5 17 23
internal_value=1.51293 1.9346 1.43851 1.72884
internal_weight=2742.73 411.41 2331.32 365.697
internal_count=300 45 255 40
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=2
split_feature=1 2 3 0
split_gain=170.1 112.978 116.999 68.738
threshold=1.5000000000000002 0 1 1.0848487284861525
decision_type=2 9 1 8
left_child=3 -2 -3 -1
right_child=1 2 -4 -5
leaf_value=-0.14624278807566574 -0.046089039260316697 0.024718355532876452 0.35544420871983745 0.023534638413919028
leaf_weight=1259.750524520874 501.23470973968506 328.41729354858398 368.26121234893799 547.33168601989746
leaf_count=153 38 27 23 59
internal_value=-0.017336 0.0995511 0.202095 -0.0948204
internal_weight=3005 1197.91 696.679 1807.08
internal_count=300 88 50 212
cat_boundaries=0 1 2
cat_threshold=9 204
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=2
split_feature=0 2 1 3
split_gain=117.418 84.6945 93.1165 79.7189
threshold=-0.046077343643829413 0 -1.0000000180025095e-35 1
decision_type=8 9 2 1
left_child=-1 -2 -3 -4
right_child=1 2 3 -5
leaf_value=-0.12865962363723535 -0.06640140852891252 -0.071988275625772077 -0.0039891730225058205 0.25249398431940712
leaf_weight=994.64809513092041 749.16421937942505 347.42554378509521 292.01832628250122 606.20266675949097
leaf_count=126 73 40 25 36
internal_value=-0.0163938 0.039584 0.103032 0.171876
internal_weight=2989.46 1994.81 1245.65 898.221
internal_count=300 174 101 61
cat_boundaries=0 1 2
cat_threshold=9 200
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=5
count=3
kind=2
rank=2

parameters:
[boosting: gbdt]
[objective: poisson]
[metric: poisson]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 3, "objective": "poisson", "average_output": false, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 537.8800048828125, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.5129299999999999, "internal_weight": 2742.73, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 187.0749969482422, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 1.43851, "internal_weight": 2331.32, "internal_count": 255, "left_child": {"leaf_index": 0, "leaf_value": 1.4082310254355175, "leaf_weight": 2175.900001525879, "leaf_count": 238}, "right_child": {"leaf_index": 3, "leaf_value": 1.8624798296127785, "leaf_weight": 155.42142868041992, "leaf_count": 17}}, "right_child": {"split_index": 1, "split_feature": 0, "split_gain": 870.8619995117188, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 1.9346, "internal_weight": 411.41, "internal_count": 45, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 99.03070068359375, "threshold": -0.2520758267473197, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.72884, "internal_weight": 365.697, "internal_count": 40, "left_child": {"leaf_index": 1, "leaf_value": 1.4867272796833984, "leaf_weight": 155.42142868041992, "leaf_count": 17}, "right_child": {"leaf_index": 4, "leaf_value": 1.907798411568029, "leaf_weight": 210.27605056762695, "leaf_count": 23}}, "right_child": {"leaf_index": 2, "leaf_value": 3.580647002790269, "leaf_weight": 45.71218490600586, "leaf_count": 5}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 2, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 170.10000610351562, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.017336, "internal_weight": 3005, "internal_count": 300, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 68.73799896240234, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0948204, "internal_weight": 1807.08, "internal_count": 212, "left_child": {"leaf_index": 0, "leaf_value": -0.14624278807566574, "leaf_weight": 1259.750524520874, "leaf_count": 153}, "right_child": {"leaf_index": 4, "leaf_value": 0.023534638413919028, "leaf_weight": 547.3316860198975, "leaf_count": 59}}, "right_child": {"split_index": 1, "split_feature": 2, "split_gain": 112.97799682617188, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": 0.0995511, "internal_weight": 1197.91, "internal_count": 88, "left_child": {"leaf_index": 1, "leaf_value": -0.0460890392603167, "leaf_weight": 501.23470973968506, "leaf_count": 38}, "right_child": {"split_index": 2, "split_feature": 3, "split_gain": 116.9990005493164, "threshold": "2||3||6||7", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.202095, "internal_weight": 696.679, "internal_count": 50, "left_child": {"leaf_index": 2, "leaf_value": 0.024718355532876452, "leaf_weight": 328.417293548584, "leaf_count": 27}, "right_child": {"leaf_index": 3, "leaf_value": 0.35544420871983745, "leaf_weight": 368.261212348938, "leaf_count": 23}}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 2, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 117.41799926757812, "threshold": -0.04607734364382941, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0163938, "internal_weight": 2989.46, "internal_count": 300, "left_child": {"leaf_index": 0, "leaf_value": -0.12865962363723535, "leaf_weight": 994.6480951309204, "leaf_count": 126}, "right_child": {"split_index": 1, "split_feature": 2, "split_gain": 84.69450378417969, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": 0.039584, "internal_weight": 1994.81, "internal_count": 174, "left_child": {"leaf_index": 1, "leaf_value": -0.06640140852891252, "leaf_weight": 749.164219379425, "leaf_count": 73}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 93.11650085449219, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.103032, "internal_weight": 1245.65, "internal_count": 101, "left_child": {"leaf_index": 2, "leaf_value": -0.07198827562577208, "leaf_weight": 347.4255437850952, "leaf_count": 40}, "right_child": {"split_index": 3, "split_feature": 3, "split_gain": 79.71890258789062, "threshold": "3||6||7", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.171876, "internal_weight": 898.221, "internal_count": 61, "left_child": {"leaf_index": 3, "leaf_value": -0.0039891730225058205, "leaf_weight": 292.0183262825012, "leaf_count": 25}, "right_child": {"leaf_index": 4, "leaf_value": 0.2524939843194071, "leaf_weight": 606.202666759491, "leaf_count": 36}}}}}}], "feature_importances": {"width": 5, "count": 3, "kind": 2, "rank": 2}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [1.9285275940783997], [6.8793735503980695]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [1.1899999617340795], [3.2870810815999327]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [1.1899999617340795], [3.2870810815999327]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [1.3827860115790396], [3.985991190106444]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [1.1333286137226164], [3.1059779133004812]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [1.7135118647660006], [5.548412577454746]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [1.3597773882236643], [3.895326059816075]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [1.1333286137226164], [3.1059779133004812]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [1.2334823625379656], [3.433164266328137]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [4.188585195829513], [65.92944768720828]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [1.3119786167858465], [3.713514069210483]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [1.1333286137226164], [3.1059779133004812]]]', '{"width": -0.022494763322142973, "count": -0.2792697600002061, "kind": 0.03955545775928132, "rank": 0.03542623704846976, "(base)": 1.4167827902486778}');
INSERT INTO lightgbm_documents VALUES ('tweedie, dart', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=tweedie
feature_names=width count
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3]
tree_sizes=639 664 663

Tree=0
num_leaves=5
num_cat=0
split_feature=1 0 0 0
split_gain=336.531 148.746 129.616 31.3466
threshold=1.5000000000000002 1.0848487284861525 -0.19880464130715184 1.4122774794450443
decision_type=2 8 8 10
left_child=1 -1 -2 -3
right_child=2 3 -4 -5
leaf_value=1.0200394581210905 1.3182887861147758 1.423867833846755 1.9550945000626434 1.8311802547708467
leaf_weight=201.71982896327972 65.123295187950134 88.195226073265076 238.18155074119568 45.998371839523315
leaf_count=153 38 46 50 13
internal_value=1.51293 1.23714 1.81836 1.56348
internal_weight=639.218 335.913 303.305 134.194
internal_count=300 212 88 59
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=1 0 1 0
split_gain=163.346 111.423 53.5441 41.9427
threshold=2.5000000000000004 -0.32374512477888789 -1.0000000180025095e-35 1.0848487284861525
decision_type=2 8 2 10
left_child=1 -1 -3 -2
right_child=3 2 -4 -5
leaf_value=-0.54466663210162847 0.18874275013801062 -0.29036104007148311 0.070687497886540496 0.60797727498878551
leaf_weight=85.933598875999451 123.01950490474701 91.883260786533356 230.8084979057312 55.36696720123291
leaf_count=84 40 66 105 5
internal_value=-0.000491149 -0.139906 -0.0321175 0.318863
internal_weight=587.012 408.625 322.692 178.386
internal_count=300 255 171 45
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=0
split_feature=0 1 0 0
split_gain=97.398 74.2857 29.514 22.4018
threshold=1.0848487284861525 1.0000000180025095e-35 -0.6008323857279062 0.51676189223701785
decision_type=10 2 8 8
left_child=1 3 -3 -1
right_child=-2 2 -4 -5
leaf_value=-0.47624453721586263 0.3021749089368162 -0.26541730589165929 0.081940420861088298 -0.15786356656286171
leaf_weight=76.55939781665802 130.07918536663055 46.846957504749298 237.82337075471878 65.707103550434113
leaf_count=88 33 39 95 45
internal_value=-0.000850483 -0.0931763 0.0247773 -0.329197
internal_weight=557.016 426.937 284.67 142.267
internal_count=300 267 134 133
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=8
count=4

parameters:
[boosting: dart]
[objective: tweedie]
[metric: tweedie]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.5]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "objective": "tweedie", "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 336.531005859375, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.5129299999999999, "internal_weight": 639.218, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 148.74600219726562, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.23714, "internal_weight": 335.913, "internal_count": 212, "left_child": {"leaf_index": 0, "leaf_value": 1.0200394581210905, "leaf_weight": 201.71982896327972, "leaf_count": 153}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 31.346599578857422, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 1.56348, "internal_weight": 134.194, "internal_count": 59, "left_child": {"leaf_index": 2, "leaf_value": 1.423867833846755, "leaf_weight": 88.19522607326508, "leaf_count": 46}, "right_child": {"leaf_index": 4, "leaf_value": 1.8311802547708467, "leaf_weight": 45.998371839523315, "leaf_count": 13}}}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 129.61599731445312, "threshold": -0.19880464130715184, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.81836, "internal_weight": 303.305, "internal_count": 88, "left_child": {"leaf_index": 1, "leaf_value": 1.3182887861147758, "leaf_weight": 65.12329518795013, "leaf_count": 38}, "right_child": {"leaf_index": 3, "leaf_value": 1.9550945000626434, "leaf_weight": 238.18155074119568, "leaf_count": 50}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 163.3459930419922, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.000491149, "internal_weight": 587.012, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 111.4229965209961, "threshold": -0.3237451247788879, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.139906, "internal_weight": 408.625, "internal_count": 255, "left_child": {"leaf_index": 0, "leaf_value": -0.5446666321016285, "leaf_weight": 85.93359887599945, "leaf_count": 84}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 53.54410171508789, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0321175, "internal_weight": 322.692, "internal_count": 171, "left_child": {"leaf_index": 2, "leaf_value": -0.2903610400714831, "leaf_weight": 91.88326078653336, "leaf_count": 66}, "right_child": {"leaf_index": 3, "leaf_value": 0.0706874978865405, "leaf_weight": 230.8084979057312, "leaf_count": 105}}}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 41.94269943237305, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.318863, "internal_weight": 178.386, "internal_count": 45, "left_child": {"leaf_index": 1, "leaf_value": 0.18874275013801062, "leaf_weight": 123.01950490474701, "leaf_count": 40}, "right_child": {"leaf_index": 4, "leaf_value": 0.6079772749887855, "leaf_weight": 55.36696720123291, "leaf_count": 5}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 97.39800262451172, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -0.000850483, "internal_weight": 557.016, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 74.28569793701172, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0931763, "internal_weight": 426.937, "internal_count": 267, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 22.40180015563965, "threshold": 0.5167618922370179, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.329197, "internal_weight": 142.267, "internal_count": 133, "left_child": {"leaf_index": 0, "leaf_value": -0.47624453721586263, "leaf_weight": 76.55939781665802, "leaf_count": 88}, "right_child": {"leaf_index": 4, "leaf_value": -0.1578635665628617, "leaf_weight": 65.70710355043411, "leaf_count": 45}}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 29.513999938964844, "threshold": -0.6008323857279062, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0247773, "internal_weight": 284.67, "internal_count": 134, "left_child": {"leaf_index": 2, "leaf_value": -0.2654173058916593, "leaf_weight": 46.8469575047493, "leaf_count": 39}, "right_child": {"leaf_index": 3, "leaf_value": 0.0819404208610883, "leaf_weight": 237.82337075471878, "leaf_count": 95}}}, "right_child": {"leaf_index": 1, "leaf_value": 0.3021749089368162, "leaf_weight": 130.07918536663055, "leaf_count": 33}}}], "feature_importances": {"width": 8, "count": 4}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0}, [2.225777671061742], [9.260681768554248]], [{"width": 0.8298553070613239, "count": -1.0}, [0.5718148514867457], [1.7714791073415879]], [{"width": 0.9620005318430944, "count": -2.0}, [0.5718148514867457], [1.7714791073415879]], [{"width": -1.298481208246912, "count": 3.0}, [1.241614230361127], [3.4611961255718553]], [{"width": -0.7213157478486046, "count": 1.0}, [0.20995552012780277], [1.2336231873346766]], [{"width": -1.0258471994365972, "count": 3.0}, [1.241614230361127], [3.4611961255718553]], [{"width": null, "count": -2.0}, [0.9756432272124101], [2.652873062443585]], [{"width": -0.548944785564265, "count": -1.0}, [-0.0008717111964005597], [0.9991286686334291]], [{"width": -0.5401312070783946, "count": 2.0}, [0.8555625748742357], [2.3526975768849354]], [{"width": 1.1693971923001296, "count": 3.0}, [2.8652466839882456], [17.55338280902112]], [{"width": -1.617870425602848, "count": 3.0}, [1.241614230361127], [3.4611961255718553]], [{"width": -0.12607417369146828, "count": 1.0}, [1.1726673768687192], [3.230598379438401]]]', '{"width": 0.14717903089505557, "count": -0.5910522288446685, "(base)": 1.0156880494363585}');
INSERT INTO lightgbm_documents VALUES ('cross_entropy', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=cross_entropy
feature_names=width count
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3]
tree_sizes=635 660 660

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=24.9704 12.0027 8.15232 4.83285
threshold=-0.32374512477888789 1.0000000180025095e-35 1.5000000000000002 1.4122774794450443
decision_type=8 2 2 8
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=-0.38859035612931886 -0.065866530686616895 0.45934477574897542 0.10224480703473092 0.29430560438256509
leaf_weight=16.750000000000004 15.999999999999998 24.75 7.9999999999999991 9.5000000000000018
leaf_count=67 64 99 32 38
internal_value=0.0989319 0.260912 -0.229937 0.0683152
internal_weight=75 50.25 24.75 25.5
internal_count=300 201 99 102
is_linear=0
shrinkage=0.4


Tree=1
num_leaves=5
num_cat=0
split_feature=0 1 1 1
split_gain=11.6963 7.97377 4.52619 3.53773
threshold=0.093921586727793174 -1.0000000180025095e-35 1.5000000000000002 2.5000000000000004
decision_type=8 2 2 2
left_child=1 -1 -2 -3
right_child=2 3 -4 -5
leaf_value=-0.37625417464158095 0.13118414502640996 -0.057204205305354396 0.44219811048874097 0.31314317964809812
leaf_weight=11.656430214643477 28.127441480755806 17.49406020343304 10.202304899692534 5.4010567516088477
leaf_count=48 115 72 43 22
internal_value=0.061828 -0.106948 0.213967 0.0301623
internal_weight=72.8813 34.5515 38.3297 22.8951
internal_count=300 142 158 94
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=6.04139 5.11355 2.68561 2.11623
threshold=-1.0000000180025095e-35 -0.93445620125514728 1.4122774794450443 2.5000000000000004
decision_type=2 8 10 2
left_child=2 -2 -1 -3
right_child=1 3 -4 -5
leaf_value=-0.16394633993388275 -0.1654583129284268 0.14098356613032567 0.30437329312216932 0.38221871292164711
leaf_weight=21.955120652914051 7.9772940129041672 30.421518728137016 2.1511599272489539 7.1943594813346854
leaf_count=94 33 130 9 34
internal_value=0.0398014 0.125432 -0.122155 0.187122
internal_weight=69.6995 45.5932 24.1063 37.6159
internal_count=300 197 103 164
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
count=7
width=5

parameters:
[boosting: gbdt]
[objective: cross_entropy]
[metric: cross_entropy]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 0]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "objective": "cross_entropy", "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 24.970399856567383, "threshold": -0.3237451247788879, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0989319, "internal_weight": 75, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 8.15231990814209, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.229937, "internal_weight": 24.75, "internal_count": 99, "left_child": {"leaf_index": 0, "leaf_value": -0.38859035612931886, "leaf_weight": 16.750000000000004, "leaf_count": 67}, "right_child": {"leaf_index": 3, "leaf_value": 0.10224480703473092, "leaf_weight": 7.999999999999999, "leaf_count": 32}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 12.002699851989746, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.260912, "internal_weight": 50.25, "internal_count": 201, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 4.832849979400635, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0683152, "internal_weight": 25.5, "internal_count": 102, "left_child": {"leaf_index": 1, "leaf_value": -0.0658665306866169, "leaf_weight": 15.999999999999998, "leaf_count": 64}, "right_child": {"leaf_index": 4, "leaf_value": 0.2943056043825651, "leaf_weight": 9.500000000000002, "leaf_count": 38}}, "right_child": {"leaf_index": 2, "leaf_value": 0.4593447757489754, "leaf_weight": 24.75, "leaf_count": 99}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 11.69629955291748, "threshold": 0.09392158672779317, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.061828, "internal_weight": 72.8813, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 7.9737701416015625, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.106948, "internal_weight": 34.5515, "internal_count": 142, "left_child": {"leaf_index": 0, "leaf_value": -0.37625417464158095, "leaf_weight": 11.656430214643477, "leaf_count": 48}, "right_child": {"split_index": 3, "split_feature": 1, "split_gain": 3.5377299785614014, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0301623, "internal_weight": 22.8951, "internal_count": 94, "left_child": {"leaf_index": 2, "leaf_value": -0.057204205305354396, "leaf_weight": 17.49406020343304, "leaf_count": 72}, "right_child": {"leaf_index": 4, "leaf_value": 0.3131431796480981, "leaf_weight": 5.401056751608848, "leaf_count": 22}}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 4.526189804077148, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.213967, "internal_weight": 38.3297, "internal_count": 158, "left_child": {"leaf_index": 1, "leaf_value": 0.13118414502640996, "leaf_weight": 28.127441480755806, "leaf_count": 115}, "right_child": {"leaf_index": 3, "leaf_value": 0.44219811048874097, "leaf_weight": 10.202304899692534, "leaf_count": 43}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 6.0413899421691895, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0398014, "internal_weight": 69.6995, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 2.685610055923462, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -0.122155, "internal_weight": 24.1063, "internal_count": 103, "left_child": {"leaf_index": 0, "leaf_value": -0.16394633993388275, "leaf_weight": 21.95512065291405, "leaf_count": 94}, "right_child": {"leaf_index": 3, "leaf_value": 0.3043732931221693, "leaf_weight": 2.151159927248954, "leaf_count": 9}}, "right_child": {"split_index": 1, "split_feature": 0, "split_gain": 5.113550186157227, "threshold": -0.9344562012551473, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.125432, "internal_weight": 45.5932, "internal_count": 197, "left_child": {"leaf_index": 1, "leaf_value": -0.1654583129284268, "leaf_weight": 7.977294012904167, "leaf_count": 33}, "right_child": {"split_index": 3, "split_feature": 1, "split_gain": 2.116230010986328, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.187122, "internal_weight": 37.6159, "internal_count": 164, "left_child": {"leaf_index": 2, "leaf_value": 0.14098356613032567, "leaf_weight": 30.421518728137016, "leaf_count": 130}, "right_child": {"leaf_index": 4, "leaf_value": 0.3822187129216471, "leaf_weight": 7.194359481334685, "leaf_count": 34}}}}}], "feature_importances": {"width": 5, "count": 7}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0}, [1.2837615991593636], [0.7830894034867038]], [{"width": 0.8298553070613239, "count": -1.0}, [-0.09862872559408968], [0.47536278716260355]], [{"width": 0.9620005318430944, "count": -2.0}, [-0.09862872559408968], [0.47536278716260355]], [{"width": -1.298481208246912, "count": 3.0}, [0.24992967375440225], [0.5621591911241633]], [{"width": -0.7213157478486046, "count": 1.0}, [-0.30481099530434763], [0.4243818187218437]], [{"width": -1.0258471994365972, "count": 3.0}, [0.24992967375440225], [0.5621591911241633]], [{"width": null, "count": -2.0}, [0.2615434094750923], [0.5650156581171983]], [{"width": -0.548944785564265, "count": -1.0}, [-0.9287908707047825], [0.28317008500063306]], [{"width": -0.5401312070783946, "count": 2.0}, [0.1860241678597022], [0.5463723926753814]], [{"width": 1.1693971923001296, "count": 3.0}, [1.2837615991593636], [0.7830894034867038]], [{"width": -1.617870425602848, "count": 3.0}, [0.24992967375440225], [0.5621591911241633]], [{"width": -0.12607417369146828, "count": 1.0}, [0.5431241365739466], [0.6325388717819682]]]', '{"width": 0.24401777744481157, "count": -0.5482534669611483, "(base)": 0.20560696392224717}');
INSERT INTO lightgbm_documents VALUES ('lambdarank', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=lambdarank
feature_names=width count
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3]
tree_sizes=664 662 667

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=6.61185 3.02822 1.72484 0.850056
threshold=0.062089208467152469 2.5000000000000004 -1.4999999999999998 -1.5431382606752564
decision_type=8 2 2 8
left_child=1 -1 -2 -3
right_child=2 3 -4 -5
leaf_value=-0.56718667858645877 -0.22520747443383288 -0.43703239742070565 0.55857875434176696 0.76227818161234229
leaf_weight=2.7277561859227721 0.54590479750186238 0.12356805801391602 2.5368899675086141 0.40279149170964945
leaf_count=117 29 3 132 19
internal_value=-8.3053e-09 -0.397684 0.419785 0.480728
internal_weight=6.33691 3.25412 3.08279 0.52636
internal_count=300 139 161 22
is_linear=0
shrinkage=0.4


Tree=1
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=7.71765 2.95833 2.58506 1.38028
threshold=1.0000000180025095e-35 0.65895994589967832 0.73833089365707427 2.5000000000000004
decision_type=2 8 8 2
left_child=1 -1 3 -2
right_child=2 -3 -4 -5
leaf_value=-0.64047994379677387 -0.083942561657898443 -0.065981668203749233 0.72131972699112545 0.45307705058200975
leaf_weight=2.5235311854630709 1.8716647218388971 3.3220816640823614 1.9483194407075641 1.29606766870711
leaf_count=94 70 58 48 30
internal_value=-1.5463e-08 -0.313991 0.358766 0.135777
internal_weight=10.9617 5.84561 5.11605 3.16773
internal_count=300 152 148 100
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=2.07643 0.870216 0.856857 2.46524
threshold=0.61858246808071393 1.0000000180025095e-35 1.5000000000000002 -1.2708994768093447
decision_type=10 2 2 8
left_child=2 -2 -1 -4
right_child=1 -3 3 -5
leaf_value=-0.28746130034243711 0.017326053823981294 0.54446131983610513 -0.66874265044099301 0.47877212237511818
leaf_weight=2.8278890276233142 0.85103040528338203 1.2185292180802205 0.44741726201027632 0.90633652907126794
leaf_count=165 34 32 10 59
internal_value=4.12683e-09 0.327696 -0.162182 0.0995171
internal_weight=6.2512 2.06956 4.18164 1.35375
internal_count=300 66 234 69
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=6
count=6

parameters:
[boosting: gbdt]
[objective: lambdarank]
[metric: ndcg]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "objective": "lambdarank", "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 6.611849784851074, "threshold": 0.06208920846715247, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -8.3053e-09, "internal_weight": 6.33691, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 3.0282199382781982, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.397684, "internal_weight": 3.25412, "internal_count": 139, "left_child": {"leaf_index": 0, "leaf_value": -0.5671866785864588, "leaf_weight": 2.727756185922772, "leaf_count": 117}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 0.850055992603302, "threshold": -1.5431382606752564, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.480728, "internal_weight": 0.52636, "internal_count": 22, "left_child": {"leaf_index": 2, "leaf_value": -0.43703239742070565, "leaf_weight": 0.12356805801391602, "leaf_count": 3}, "right_child": {"leaf_index": 4, "leaf_value": 0.7622781816123423, "leaf_weight": 0.40279149170964945, "leaf_count": 19}}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 1.7248400449752808, "threshold": -1.4999999999999998, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.419785, "internal_weight": 3.08279, "internal_count": 161, "left_child": {"leaf_index": 1, "leaf_value": -0.22520747443383288, "leaf_weight": 0.5459047975018624, "leaf_count": 29}, "right_child": {"leaf_index": 3, "leaf_value": 0.558578754341767, "leaf_weight": 2.536889967508614, "leaf_count": 132}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 7.717649936676025, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -1.5463e-08, "internal_weight": 10.9617, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 2.958329916000366, "threshold": 0.6589599458996783, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.313991, "internal_weight": 5.84561, "internal_count": 152, "left_child": {"leaf_index": 0, "leaf_value": -0.6404799437967739, "leaf_weight": 2.523531185463071, "leaf_count": 94}, "right_child": {"leaf_index": 2, "leaf_value": -0.06598166820374923, "leaf_weight": 3.3220816640823614, "leaf_count": 58}}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 2.585059881210327, "threshold": 0.7383308936570743, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.358766, "internal_weight": 5.11605, "internal_count": 148, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 1.3802800178527832, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.135777, "internal_weight": 3.16773, "internal_count": 100, "left_child": {"leaf_index": 1, "leaf_value": -0.08394256165789844, "leaf_weight": 1.871664721838897, "leaf_count": 70}, "right_child": {"leaf_index": 4, "leaf_value": 0.45307705058200975, "leaf_weight": 1.29606766870711, "leaf_count": 30}}, "right_child": {"leaf_index": 3, "leaf_value": 0.7213197269911255, "leaf_weight": 1.9483194407075641, "leaf_count": 48}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 2.076430082321167, "threshold": 0.6185824680807139, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 4.12683e-09, "internal_weight": 6.2512, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 0.8568570017814636, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.162182, "internal_weight": 4.18164, "internal_count": 234, "left_child": {"leaf_index": 0, "leaf_value": -0.2874613003424371, "leaf_weight": 2.827889027623314, "leaf_count": 165}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 2.465240001678467, "threshold": -1.2708994768093447, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0995171, "internal_weight": 1.35375, "internal_count": 69, "left_child": {"leaf_index": 3, "leaf_value": -0.668742650440993, "leaf_weight": 0.4474172620102763, "leaf_count": 10}, "right_child": {"leaf_index": 4, "leaf_value": 0.4787721223751182, "leaf_weight": 0.9063365290712679, "leaf_count": 59}}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 0.8702160120010376, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.327696, "internal_weight": 2.06956, "internal_count": 66, "left_child": {"leaf_index": 1, "leaf_value": 0.017326053823981294, "leaf_weight": 0.851030405283382, "leaf_count": 34}, "right_child": {"leaf_index": 2, "leaf_value": 0.5444613198361051, "leaf_weight": 1.2185292180802205, "leaf_count": 32}}}}], "feature_importances": {"width": 6, "count": 6}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0}, [1.7586706037080106], [1.7586706037080106]], [{"width": 0.8298553070613239, "count": -1.0}, [0.509923139961999], [0.509923139961999]], [{"width": 0.9620005318430944, "count": -2.0}, [-0.27386308881360083], [-0.27386308881360083]], [{"width": -1.298481208246912, "count": 3.0}, [0.5466125817533589], [0.5466125817533589]], [{"width": -0.7213157478486046, "count": 1.0}, [-0.9385905405867944], [-0.9385905405867944]], [{"width": -1.0258471994365972, "count": 3.0}, [1.6941273545694702], [1.6941273545694702]], [{"width": null, "count": -2.0}, [-0.5786504429800192], [-0.5786504429800192]], [{"width": -0.548944785564265, "count": -1.0}, [-1.4951279227256697], [-1.4951279227256697]], [{"width": -0.5401312070783946, "count": 2.0}, [-0.17235711786923907], [-0.17235711786923907]], [{"width": 1.1693971923001296, "count": 3.0}, [1.8243598011689977], [1.8243598011689977]], [{"width": -1.617870425602848, "count": 3.0}, [-0.6526979972796889], [-0.6526979972796889]], [{"width": -0.12607417369146828, "count": 1.0}, [-0.9385905405867944], [-0.9385905405867944]]]', '{"width": 1.089571787055561, "count": -0.5278526988487173, "(base)": -0.051795948244844466}');
INSERT INTO lightgbm_documents VALUES ('binary', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=3
objective=binary sigmoid:1
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=623 660 667

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 1 1
split_gain=54.0292 39.321 20.0002 12.4773
threshold=0.61858246808071393 2.5000000000000004 1.0000000180025095e-35 -1.0000000180025095e-35
decision_type=8 2 2 2
left_child=1 3 -2 -1
right_child=2 -3 -4 -5
leaf_value=-0.69841269841269848 0.10666666666666665 0.62222222222222223 0.77142857142857146 -0.23829787234042554
leaf_weight=15.749999999999998 15.000000000000002 6.7499999999999991 13.999999999999998 23.5
leaf_count=63 60 27 56 94
internal_value=0 -0.269565 0.427586 -0.42293
internal_weight=75 46 29 39.25
internal_count=300 184 116 157
is_linear=0
shrinkage=0.4


Tree=1
num_leaves=5
num_cat=0
split_feature=0 1 0 1
split_gain=30.6337 23.9157 11.0158 10.1649
threshold=-0.32374512477888789 1.0000000180025095e-35 1.4122774794450443 2.5000000000000004
decision_type=8 2 8 2
left_child=3 2 -2 -1
right_child=1 -3 -4 -5
leaf_value=-0.48509769345174103 -0.29675879481766171 0.48469480416775579 0.25282839134113044 0.26271500970978179
leaf_weight=19.792510479688648 15.195742398500441 22.475967839360237 9.4730286598205584 3.409235179424285
leaf_count=84 64 99 38 15
internal_value=0.00105082 0.186226 -0.0857124 -0.375215
internal_weight=70.3465 47.1447 24.6688 23.2017
internal_count=300 201 102 99
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=2
split_feature=2 3 1 0
split_gain=21.1659 12.2796 8.50978 12.398
threshold=0 1 1.0000000180025095e-35 0.61858246808071393
decision_type=9 1 2 8
left_child=2 -2 -1 -4
right_child=1 -3 3 -5
leaf_value=-0.53510908047980021 -0.14255686695976955 0.3133450897771205 -0.35920743870607474 0.43109466342090297
leaf_weight=13.23291812837124 9.9904988855123502 25.788282290101051 9.2731841355562192 4.8304702043533316
leaf_count=62 48 121 41 28
internal_value=0.000548808 0.182711 -0.223097 -0.0885307
internal_weight=63.1154 35.7788 27.3366 14.1037
internal_count=300 169 131 69
cat_boundaries=0 1 2
cat_threshold=9 136
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
count=6
width=4
kind=1
rank=1

parameters:
[boosting: gbdt]
[objective: binary]
[metric: binary_logloss]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 3, "objective": "binary sigmoid:1", "average_output": false, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 54.02920150756836, "threshold": 0.6185824680807139, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0, "internal_weight": 75, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 39.32099914550781, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.269565, "internal_weight": 46, "internal_count": 184, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 12.477299690246582, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.42293, "internal_weight": 39.25, "internal_count": 157, "left_child": {"leaf_index": 0, "leaf_value": -0.6984126984126985, "leaf_weight": 15.749999999999998, "leaf_count": 63}, "right_child": {"leaf_index": 4, "leaf_value": -0.23829787234042554, "leaf_weight": 23.5, "leaf_count": 94}}, "right_child": {"leaf_index": 2, "leaf_value": 0.6222222222222222, "leaf_weight": 6.749999999999999, "leaf_count": 27}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 20.000200271606445, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.427586, "internal_weight": 29, "internal_count": 116, "left_child": {"leaf_index": 1, "leaf_value": 0.10666666666666665, "leaf_weight": 15.000000000000002, "leaf_count": 60}, "right_child": {"leaf_index": 3, "leaf_value": 0.7714285714285715, "leaf_weight": 13.999999999999998, "leaf_count": 56}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 30.633699417114258, "threshold": -0.3237451247788879, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.00105082, "internal_weight": 70.3465, "internal_count": 300, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 10.164899826049805, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.375215, "internal_weight": 23.2017, "internal_count": 99, "left_child": {"leaf_index": 0, "leaf_value": -0.48509769345174103, "leaf_weight": 19.792510479688648, "leaf_count": 84}, "right_child": {"leaf_index": 4, "leaf_value": 0.2627150097097818, "leaf_weight": 3.409235179424285, "leaf_count": 15}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 23.915700912475586, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.186226, "internal_weight": 47.1447, "internal_count": 201, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 11.015800476074219, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0857124, "internal_weight": 24.6688, "internal_count": 102, "left_child": {"leaf_index": 1, "leaf_value": -0.2967587948176617, "leaf_weight": 15.19574239850044, "leaf_count": 64}, "right_child": {"leaf_index": 3, "leaf_value": 0.25282839134113044, "leaf_weight": 9.473028659820558, "leaf_count": 38}}, "right_child": {"leaf_index": 2, "leaf_value": 0.4846948041677558, "leaf_weight": 22.475967839360237, "leaf_count": 99}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 2, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 2, "split_gain": 21.1658992767334, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": 0.000548808, "internal_weight": 63.1154, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 8.509779930114746, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.223097, "internal_weight": 27.3366, "internal_count": 131, "left_child": {"leaf_index": 0, "leaf_value": -0.5351090804798002, "leaf_weight": 13.23291812837124, "leaf_count": 62}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 12.39799976348877, "threshold": 0.6185824680807139, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0885307, "internal_weight": 14.1037, "internal_count": 69, "left_child": {"leaf_index": 3, "leaf_value": -0.35920743870607474, "leaf_weight": 9.27318413555622, "leaf_count": 41}, "right_child": {"leaf_index": 4, "leaf_value": 0.43109466342090297, "leaf_weight": 4.830470204353332, "leaf_count": 28}}}, "right_child": {"split_index": 1, "split_feature": 3, "split_gain": 12.279600143432617, "threshold": "3||7", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.182711, "internal_weight": 35.7788, "internal_count": 169, "left_child": {"leaf_index": 1, "leaf_value": -0.14255686695976955, "leaf_weight": 9.99049888551235, "leaf_count": 48}, "right_child": {"leaf_index": 2, "leaf_value": 0.3133450897771205, "leaf_weight": 25.78828229010105, "leaf_count": 121}}}}], "feature_importances": {"width": 4, "count": 6, "kind": 1, "rank": 1}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [1.5694684653734479], [0.8277078206001389]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [0.12325296162612542], [0.5307742918276024]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [0.12325296162612542], [0.5307742918276024]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [1.1982823217091245], [0.7682190771516663]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [-0.4100504760150461], [0.39890001801187336]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [1.1982823217091245], [0.7682190771516663]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [0.6728401477849175], [0.6621388238043424]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [-0.8701653020873191], [0.2952199072401268]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [-1.0826030044982413], [0.2530137383628713]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [1.5694684653734479], [0.8277078206001389]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [0.5257297932259293], [0.6284866045580697]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [0.1038400648675607], [0.5259367146254154]]]', '{"width": 0.5002531387711543, "count": -0.7354274632022975, "kind": 0.267109558508943, "rank": 0.10121562968501843, "(base)": -0.009897902136692829}');
INSERT INTO lightgbm_documents VALUES ('binary, sigmoid 0.7, mean', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=3
objective=binary sigmoid:0.7
average_output
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=643 643 644

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 0 1
split_gain=40.0701 39.6167 2.98794 2.90753
threshold=0.61858246808071393 1.5000000000000002 -0.25207582674731971 1.0000000180025095e-35
decision_type=8 2 10 2
left_child=1 2 -1 -2
right_child=3 -3 -4 -5
leaf_value=-2.7027026040739481 1.4285713764390859 1.7511520098285585 -1.4778324583852631 2.6666665693529623
leaf_weight=4.5325000882148743 3.920000076293948 3.7975000739097586 3.5525000691413862 3.6750000715255737
leaf_count=37 32 31 29 30
internal_value=0.233603 -0.913107 -2.1645 2.02765
internal_weight=19.4775 11.8825 8.085 7.595
internal_count=159 97 66 62
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=40.0357 17.7846 12.9588 4.85137
threshold=1.0000000180025095e-35 1.3228266008692799 -0.52229310469191736 2.5000000000000004
decision_type=2 8 8 2
left_child=1 -1 3 -2
right_child=2 -3 -4 -5
leaf_value=-2.2857142023025387 -1.8181817518315637 0.95238091762605781 2.1848738698480159 1.224489751233502
leaf_weight=7.3500001430511492 1.3475000262260439 2.2050000429153442 6.2475001215934736 0.85750001668930043
leaf_count=60 11 18 51 7
internal_value=-0.136054 -1.53846 1.44928 -0.634921
internal_weight=18.0075 9.555 8.4525 2.205
internal_count=147 78 69 18
is_linear=0
shrinkage=1


Tree=2
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=32.3508 24.5963 15.1569 5.34697
threshold=1.0000000180025095e-35 -0.52229310469191736 1.4122774794450443 2.5000000000000004
decision_type=2 8 8 2
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=-2.3076922234785244 -2.1848738698480141 2.1428570646586311 0.9523809176260577 0.95238091762605703
leaf_weight=6.3700001239776629 2.0825000405311589 6.8600001335144025 1.8375000357627866 0.73500001430511464
leaf_count=52 17 56 15 6
internal_value=-0.117417 1.12116 -1.57783 -1.36646
internal_weight=17.885 9.6775 8.2075 2.8175
internal_count=146 79 67 23
is_linear=0
shrinkage=1


end of trees

feature_importances:
width=6
count=6

parameters:
[boosting: rf]
[objective: binary]
[metric: binary_logloss]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 0.5]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 1]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 0.7]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 3, "objective": "binary sigmoid:0.7", "average_output": true, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 40.070098876953125, "threshold": 0.6185824680807139, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.233603, "internal_weight": 19.4775, "internal_count": 159, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 39.61669921875, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.913107, "internal_weight": 11.8825, "internal_count": 97, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 2.9879400730133057, "threshold": -0.2520758267473197, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -2.1645, "internal_weight": 8.085, "internal_count": 66, "left_child": {"leaf_index": 0, "leaf_value": -2.702702604073948, "leaf_weight": 4.532500088214874, "leaf_count": 37}, "right_child": {"leaf_index": 3, "leaf_value": -1.4778324583852631, "leaf_weight": 3.552500069141386, "leaf_count": 29}}, "right_child": {"leaf_index": 2, "leaf_value": 1.7511520098285585, "leaf_weight": 3.7975000739097586, "leaf_count": 31}}, "right_child": {"split_index": 3, "split_feature": 1, "split_gain": 2.9075300693511963, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 2.02765, "internal_weight": 7.595, "internal_count": 62, "left_child": {"leaf_index": 1, "leaf_value": 1.428571376439086, "leaf_weight": 3.920000076293948, "leaf_count": 32}, "right_child": {"leaf_index": 4, "leaf_value": 2.6666665693529623, "leaf_weight": 3.6750000715255737, "leaf_count": 30}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 40.035701751708984, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.136054, "internal_weight": 18.0075, "internal_count": 147, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 17.78459930419922, "threshold": 1.32282660086928, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -1.5384600000000002, "internal_weight": 9.555, "internal_count": 78, "left_child": {"leaf_index": 0, "leaf_value": -2.2857142023025387, "leaf_weight": 7.350000143051149, "leaf_count": 60}, "right_child": {"leaf_index": 2, "leaf_value": 0.9523809176260578, "leaf_weight": 2.2050000429153442, "leaf_count": 18}}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 12.958800315856934, "threshold": -0.5222931046919174, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.44928, "internal_weight": 8.4525, "internal_count": 69, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 4.851369857788086, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.634921, "internal_weight": 2.205, "internal_count": 18, "left_child": {"leaf_index": 1, "leaf_value": -1.8181817518315637, "leaf_weight": 1.347500026226044, "leaf_count": 11}, "right_child": {"leaf_index": 4, "leaf_value": 1.224489751233502, "leaf_weight": 0.8575000166893004, "leaf_count": 7}}, "right_child": {"leaf_index": 3, "leaf_value": 2.184873869848016, "leaf_weight": 6.247500121593474, "leaf_count": 51}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 32.350799560546875, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.117417, "internal_weight": 17.885, "internal_count": 146, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 15.156900405883789, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -1.57783, "internal_weight": 8.2075, "internal_count": 67, "left_child": {"leaf_index": 0, "leaf_value": -2.3076922234785244, "leaf_weight": 6.370000123977663, "leaf_count": 52}, "right_child": {"leaf_index": 3, "leaf_value": 0.9523809176260577, "leaf_weight": 1.8375000357627866, "leaf_count": 15}}, "right_child": {"split_index": 1, "split_feature": 0, "split_gain": 24.59630012512207, "threshold": -0.5222931046919174, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.12116, "internal_weight": 9.6775, "internal_count": 79, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 5.346970081329346, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -1.36646, "internal_weight": 2.8175, "internal_count": 23, "left_child": {"leaf_index": 1, "leaf_value": -2.184873869848014, "leaf_weight": 2.082500040531159, "leaf_count": 17}, "right_child": {"leaf_index": 4, "leaf_value": 0.952380917626057, "leaf_weight": 0.7350000143051146, "leaf_count": 6}}, "right_child": {"leaf_index": 2, "leaf_value": 2.142857064658631, "leaf_weight": 6.8600001335144025, "leaf_count": 56}}}}], "feature_importances": {"width": 6, "count": 6}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [6.994397503859609], [0.8364470029932243]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [-3.1648350493419772], [0.3233406604033127]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [-3.1648350493419772], [0.3233406604033127]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [3.9280226786881176], [0.7143363020376383]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [-6.7057582257535255], [0.17297656353360824]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [3.9280226786881176], [0.7143363020376383]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [3.333333211691201], [0.6852009705430501]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [-7.29610902985501], [0.15414875405628126]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [-2.251903611851019], [0.3715800869725719]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [6.994397503859609], [0.8364470029932243]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [3.9280226786881176], [0.7143363020376383]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [2.8498984761213837], [0.6603773601730497]]]', '{"width": 1.337802912334952, "count": -4.482769585999984, "kind": 0.0, "rank": 0.0, "(base)": -0.01986837567694491}');
INSERT INTO lightgbm_documents VALUES ('multiclass', 'tree
version=v4
num_class=3
num_tree_per_iteration=3
label_index=0
max_feature_idx=3
objective=multiclass num_class:3
feature_names=width count kind rank
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:3:1:2:0 -1:0:4:3:2:6:5:7:1
tree_sizes=654 647 663 680 681 656

Tree=0
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=50.8954 24.3543 12.2853 11.7255
threshold=-0.32374512477888789 -1.0000000180025095e-35 -1.4999999999999998 0.8181091819216938
decision_type=8 2 2 8
left_child=1 -1 3 -2
right_child=2 -3 -4 -5
leaf_value=-0.3533375599897548 -0.57735954245695587 -1.0912325476022353 -1.5276395369850906 -1.4191921484469865
leaf_weight=11.42744964361191 4.6327498555183393 19.148699402809143 51.269098401069641 6.1769998073577881
leaf_count=37 15 62 166 20
internal_value=-1.23787 -0.815454 -1.44593 -1.05841
internal_weight=92.655 30.5761 62.0788 10.8097
internal_count=300 99 201 35
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=7.76716 5.40272 6.11677 2.26301
threshold=2.5000000000000004 -0.91659886827041426 1.3406303024396975 1.5000000000000002
decision_type=2 10 10 2
left_child=1 -1 3 -3
right_child=-2 2 -4 -5
leaf_value=-1.5086888618530288 -1.6899190821992074 -1.184056214425603 -1.6781700256734895 -1.4417293850317126
leaf_weight=22.856134116649628 12.543000429868696 36.51406791806221 5.2959335148334494 6.4108668863773337
leaf_count=82 45 131 19 23
internal_value=-1.39972 -1.34851 -1.27258 -1.22254
internal_weight=83.62 71.077 48.2209 42.9249
internal_count=300 255 173 154
is_linear=0
shrinkage=1


Tree=2
num_leaves=5
num_cat=0
split_feature=0 1 1 0
split_gain=39.2017 28.2523 14.4228 11.4829
threshold=0.61858246808071393 1.5000000000000002 1.0000000180025095e-35 -0.52229310469191736
decision_type=8 2 2 10
left_child=1 -1 -2 -3
right_child=2 3 -4 -5
leaf_value=-1.1248744410555285 -0.69423815216674012 -0.86900517459865501 -0.23207016589792606 -0.27037138022959578
leaf_weight=48.114850401878357 22.379000186920166 10.070550084114076 20.887066841125488 10.443533420562742
leaf_count=129 60 27 56 28
internal_value=-0.769309 -0.957295 -0.471123 -0.564246
internal_weight=111.895 68.6289 43.2661 20.5141
internal_count=300 184 116 55
is_linear=0
shrinkage=1


Tree=3
num_leaves=5
num_cat=1
split_feature=0 1 2 0
split_gain=20.1891 16.3743 9.61657 5.96139
threshold=0.093921586727793174 -1.0000000180025095e-35 0 -0.4984548286353126
decision_type=8 2 9 10
left_child=1 -1 3 -3
right_child=-2 2 -4 -5
leaf_value=0.47800184986517141 -0.21485244465338849 0.50892269568383575 -0.17611229739591547 -0.039781935075263272
leaf_weight=17.428959548473358 40.504868239164352 8.634640157222746 15.72639222443104 5.0039929449558249
leaf_count=48 158 25 51 18
internal_value=-0.00809785 0.170869 -0.0114231 0.177476
internal_weight=87.2989 46.794 29.365 13.6386
internal_count=300 142 94 43
cat_boundaries=0 1
cat_threshold=9
is_linear=0
shrinkage=0.4


Tree=4
num_leaves=5
num_cat=1
split_feature=3 1 0 0
split_gain=3.97219 3.14833 5.108 4.86111
threshold=0 1.0000000180025095e-35 -0.29228304515712772 1.4122774794450443
decision_type=1 2 10 10
left_child=-1 2 -2 -4
right_child=1 -3 3 -5
leaf_value=0.10326468475980005 -0.16360238577292227 -0.1792275011362483 0.28260963561241098 -0.33523719564045845
leaf_weight=29.597236707806587 12.922987282276155 23.369777202606201 12.346982091665266 2.4401508271694174
leaf_count=109 49 94 38 10
internal_value=0.00567205 -0.0594531 0.0201051 0.180653
internal_weight=80.6771 51.0799 27.7101 14.7871
internal_count=300 191 97 48
cat_boundaries=0 1
cat_threshold=140
is_linear=0
shrinkage=0.4


Tree=5
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=16.3955 13.7862 10.3075 6.262
threshold=1.0000000180025095e-35 -0.52229310469191736 1.4122774794450443 2.5000000000000004
decision_type=2 8 8 2
left_child=2 3 -1 -2
right_child=1 -3 -4 -5
leaf_value=-0.26822848165934754 -0.32733980700088977 0.2934218948949785 0.13258918544647899 0.23782835630592986
leaf_weight=37.216521382331848 10.639990806579588 36.729866623878479 14.175615787506102 4.4480484724044791
leaf_count=114 30 106 38 12
internal_value=0.00241574 0.161186 -0.15767 -0.160725
internal_weight=103.21 51.8179 51.3921 15.088
internal_count=300 148 152 42
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=12
count=10
kind=1
rank=1

parameters:
[boosting: gbdt]
[objective: multiclass]
[metric: multi_logloss]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 2]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2,3]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 3]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]
', '{"name": "tree", "version": "v4", "num_class": 3, "num_tree_per_iteration": 3, "label_index": 0, "max_feature_idx": 3, "objective": "multiclass num_class:3", "average_output": false, "feature_names": ["width", "count", "kind", "rank"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "kind": {"min_value": -1, "max_value": 3, "values": [-1, 3, 1, 2, 0]}, "rank": {"min_value": -1, "max_value": 7, "values": [-1, 0, 4, 3, 2, 6, 5, 7, 1]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 50.89540100097656, "threshold": -0.3237451247788879, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -1.23787, "internal_weight": 92.655, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 24.354299545288086, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.815454, "internal_weight": 30.5761, "internal_count": 99, "left_child": {"leaf_index": 0, "leaf_value": -0.3533375599897548, "leaf_weight": 11.42744964361191, "leaf_count": 37}, "right_child": {"leaf_index": 2, "leaf_value": -1.0912325476022353, "leaf_weight": 19.148699402809143, "leaf_count": 62}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 12.285300254821777, "threshold": -1.4999999999999998, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -1.44593, "internal_weight": 62.0788, "internal_count": 201, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 11.725500106811523, "threshold": 0.8181091819216938, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -1.05841, "internal_weight": 10.8097, "internal_count": 35, "left_child": {"leaf_index": 1, "leaf_value": -0.5773595424569559, "leaf_weight": 4.632749855518339, "leaf_count": 15}, "right_child": {"leaf_index": 4, "leaf_value": -1.4191921484469865, "leaf_weight": 6.176999807357788, "leaf_count": 20}}, "right_child": {"leaf_index": 3, "leaf_value": -1.5276395369850906, "leaf_weight": 51.26909840106964, "leaf_count": 166}}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 7.767159938812256, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -1.39972, "internal_weight": 83.62, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 5.402719974517822, "threshold": -0.9165988682704143, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -1.34851, "internal_weight": 71.077, "internal_count": 255, "left_child": {"leaf_index": 0, "leaf_value": -1.5086888618530288, "leaf_weight": 22.856134116649628, "leaf_count": 82}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 6.116769790649414, "threshold": 1.3406303024396975, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -1.27258, "internal_weight": 48.2209, "internal_count": 173, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 2.263010025024414, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -1.22254, "internal_weight": 42.9249, "internal_count": 154, "left_child": {"leaf_index": 2, "leaf_value": -1.184056214425603, "leaf_weight": 36.51406791806221, "leaf_count": 131}, "right_child": {"leaf_index": 4, "leaf_value": -1.4417293850317126, "leaf_weight": 6.410866886377334, "leaf_count": 23}}, "right_child": {"leaf_index": 3, "leaf_value": -1.6781700256734895, "leaf_weight": 5.295933514833449, "leaf_count": 19}}}, "right_child": {"leaf_index": 1, "leaf_value": -1.6899190821992074, "leaf_weight": 12.543000429868696, "leaf_count": 45}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 39.201698303222656, "threshold": 0.6185824680807139, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.769309, "internal_weight": 111.895, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 28.252300262451172, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.957295, "internal_weight": 68.6289, "internal_count": 184, "left_child": {"leaf_index": 0, "leaf_value": -1.1248744410555285, "leaf_weight": 48.11485040187836, "leaf_count": 129}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 11.48289966583252, "threshold": -0.5222931046919174, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": -0.564246, "internal_weight": 20.5141, "internal_count": 55, "left_child": {"leaf_index": 2, "leaf_value": -0.869005174598655, "leaf_weight": 10.070550084114076, "leaf_count": 27}, "right_child": {"leaf_index": 4, "leaf_value": -0.2703713802295958, "leaf_weight": 10.443533420562742, "leaf_count": 28}}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 14.422800064086914, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.471123, "internal_weight": 43.2661, "internal_count": 116, "left_child": {"leaf_index": 1, "leaf_value": -0.6942381521667401, "leaf_weight": 22.379000186920166, "leaf_count": 60}, "right_child": {"leaf_index": 3, "leaf_value": -0.23207016589792606, "leaf_weight": 20.88706684112549, "leaf_count": 56}}}}, {"tree_index": 3, "num_leaves": 5, "num_cat": 1, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 20.18910026550293, "threshold": 0.09392158672779317, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.00809785, "internal_weight": 87.2989, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 16.374300003051758, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.170869, "internal_weight": 46.794, "internal_count": 142, "left_child": {"leaf_index": 0, "leaf_value": 0.4780018498651714, "leaf_weight": 17.428959548473358, "leaf_count": 48}, "right_child": {"split_index": 2, "split_feature": 2, "split_gain": 9.616570472717285, "threshold": "0||3", "decision_type": "==", "default_left": false, "missing_type": "NaN", "internal_value": -0.0114231, "internal_weight": 29.365, "internal_count": 94, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 5.961390018463135, "threshold": -0.4984548286353126, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.177476, "internal_weight": 13.6386, "internal_count": 43, "left_child": {"leaf_index": 2, "leaf_value": 0.5089226956838357, "leaf_weight": 8.634640157222746, "leaf_count": 25}, "right_child": {"leaf_index": 4, "leaf_value": -0.03978193507526327, "leaf_weight": 5.003992944955825, "leaf_count": 18}}, "right_child": {"leaf_index": 3, "leaf_value": -0.17611229739591547, "leaf_weight": 15.72639222443104, "leaf_count": 51}}}, "right_child": {"leaf_index": 1, "leaf_value": -0.21485244465338849, "leaf_weight": 40.50486823916435, "leaf_count": 158}}}, {"tree_index": 4, "num_leaves": 5, "num_cat": 1, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 3, "split_gain": 3.9721899032592773, "threshold": "2||3||7", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": 0.00567205, "internal_weight": 80.6771, "internal_count": 300, "left_child": {"leaf_index": 0, "leaf_value": 0.10326468475980005, "leaf_weight": 29.597236707806587, "leaf_count": 109}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 3.148329973220825, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0594531, "internal_weight": 51.0799, "internal_count": 191, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 5.107999801635742, "threshold": -0.2922830451571277, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.0201051, "internal_weight": 27.7101, "internal_count": 97, "left_child": {"leaf_index": 1, "leaf_value": -0.16360238577292227, "leaf_weight": 12.922987282276155, "leaf_count": 49}, "right_child": {"split_index": 3, "split_feature": 0, "split_gain": 4.861110210418701, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.180653, "internal_weight": 14.7871, "internal_count": 48, "left_child": {"leaf_index": 3, "leaf_value": 0.282609635612411, "leaf_weight": 12.346982091665266, "leaf_count": 38}, "right_child": {"leaf_index": 4, "leaf_value": -0.33523719564045845, "leaf_weight": 2.4401508271694174, "leaf_count": 10}}}, "right_child": {"leaf_index": 2, "leaf_value": -0.1792275011362483, "leaf_weight": 23.3697772026062, "leaf_count": 94}}}}, {"tree_index": 5, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 16.39550018310547, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.00241574, "internal_weight": 103.21, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 10.307499885559082, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.15767, "internal_weight": 51.3921, "internal_count": 152, "left_child": {"leaf_index": 0, "leaf_value": -0.26822848165934754, "leaf_weight": 37.21652138233185, "leaf_count": 114}, "right_child": {"leaf_index": 3, "leaf_value": 0.132589185446479, "leaf_weight": 14.175615787506102, "leaf_count": 38}}, "right_child": {"split_index": 1, "split_feature": 0, "split_gain": 13.786199569702148, "threshold": -0.5222931046919174, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.161186, "internal_weight": 51.8179, "internal_count": 148, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 6.26200008392334, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.160725, "internal_weight": 15.088, "internal_count": 42, "left_child": {"leaf_index": 1, "leaf_value": -0.32733980700088977, "leaf_weight": 10.639990806579588, "leaf_count": 30}, "right_child": {"leaf_index": 4, "leaf_value": 0.23782835630592986, "leaf_weight": 4.448048472404479, "leaf_count": 12}}, "right_child": {"leaf_index": 2, "leaf_value": 0.2934218948949785, "leaf_weight": 36.72986662387848, "leaf_count": 106}}}}], "feature_importances": {"width": 12, "count": 10, "kind": 1, "rank": 1}, "pandas_categorical": [["gr\u00f6\u00dfer", "odd \"one\"", "plain", "x||y"], [10, 20, 30, 40, 50, 60, 70, 80]]}', '[[{"width": null, "count": 3.0, "kind": null, "rank": "70"}, [-1.7424919816384792, -1.8691465833354557, 0.061351728997052435], [0.12572317171915562, 0.1107668828456578, 0.7635099454351865]], [{"width": 0.8298553070613239, "count": -1.0, "kind": "odd \"one\"", "rank": "20"}, [-1.7424919816384792, -0.901446578813192, -0.9624666338260877], [0.18180769180216516, 0.42157381759349105, 0.39661849060434384]], [{"width": 0.9620005318430944, "count": -2.0, "kind": "plain", "rank": "30"}, [-1.6340445931003749, -1.080791529665803, -0.9624666338260877], [0.21293703003078884, 0.37027632520343234, 0.41678664476577887]], [{"width": -1.298481208246912, "count": 3.0, "kind": "odd \"one\"", "rank": "30"}, [-1.2673448449981508, -1.5866543974394074, -0.6311768182927251], [0.27655799573243983, 0.2009610274571213, 0.5224809768104389]], [{"width": -0.7213157478486046, "count": 1.0, "kind": "odd \"one\"", "rank": "60"}, [-1.2673448449981508, -1.3632837155618514, -1.4522142480564182], [0.3649991533731157, 0.3316088671785742, 0.3033919794483101]], [{"width": -1.0258471994365972, "count": 3.0, "kind": "odd \"one\"", "rank": "10"}, [-1.2673448449981508, -1.8691465833354557, -0.6311768182927251], [0.2909470741810872, 0.15938770599521196, 0.5496652198237009]], [{"width": null, "count": -2.0, "kind": "plain", "rank": "50"}, [-1.6340445931003749, -1.672291247625951, -0.5616489667202611], [0.2047146795820525, 0.197032866181826, 0.5982524542361215]], [{"width": -0.548944785564265, "count": -1.0, "kind": "plain", "rank": "30"}, [0.12466428987541661, -1.080791529665803, -1.393102922714876], [0.6584335282962432, 0.19723733551661857, 0.14432913618713827]], [{"width": -0.5401312070783946, "count": 2.0, "kind": "x||y", "rank": "80"}, [-0.5823098519183996, -1.3384647002719126, -1.1963449815995448], [0.4973563192828554, 0.23349294466177967, 0.26915073605536505]], [{"width": 1.1693971923001296, "count": 3.0, "kind": null, "rank": "10"}, [-1.7424919816384792, -1.8691465833354557, 0.061351728997052435], [0.12572317171915562, 0.1107668828456578, 0.7635099454351865]], [{"width": -1.617870425602848, "count": 3.0, "kind": "gr\u00f6\u00dfer", "rank": "30"}, [-0.5823098519183996, -1.5866543974394074, -0.6311768182927251], [0.4312961513830424, 0.15797715513158758, 0.4107266934853701]], [{"width": -0.12607417369146828, "count": 1.0, "kind": "odd \"one\"", "rank": "40"}, [-1.703751834381006, -1.080791529665803, -0.83145254616055], [0.19022818537290997, 0.35466888358666243, 0.4551029310404277]]]', 'null');
INSERT INTO lightgbm_documents VALUES ('codes without texts', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=2
objective=quantile
feature_names=width count code
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3] -1:0:28:21:14:42:35:49:7
tree_sizes=562 566 600

Tree=0
num_leaves=5
num_cat=0
split_feature=1 0 1 0
split_gain=13.2353 9.75212 4.91251 2.77778
threshold=2.5000000000000004 1.0592821552635476 1.0000000180025095e-35 1.4122774794450443
decision_type=2 8 2 10
left_child=1 -1 3 -3
right_child=-2 2 -4 -5
leaf_value=0.86067166164154818 1.7987091376026911 1.1237241888046186 1.6708261209991633 1.8160175171707751
leaf_weight=182 45 36 25 11.999999999999998
leaf_count=182 45 36 25 12
internal_value=1.20621 1.17091 1.29443 1.21954
internal_weight=300 255 73 48
internal_count=300 255 73 48
is_linear=0
shrinkage=1


Tree=1
num_leaves=5
num_cat=0
split_feature=1 0 0 1
split_gain=8.46724 8.57704 4.47424 2.4931
threshold=1.5000000000000002 -0.3963705478230321 0.45764074380528647 -1.0000000180025095e-35
decision_type=2 8 8 2
left_child=2 -2 -1 -4
right_child=1 -3 3 -5
leaf_value=-0.41375543846320878 -0.21830895031011385 0.40799637038078107 -0.18897031496699113 0.15052772453893559
leaf_weight=117 30 58 45 50
leaf_count=117 30 58 45 50
internal_value=-0.0106667 0.0936364 -0.0539623 0.0105263
internal_weight=300 88 212 95
internal_count=300 88 212 95
is_linear=0
shrinkage=0.4


Tree=2
num_leaves=5
num_cat=1
split_feature=2 0 0 1
split_gain=5.19479 3.90626 2.43231 2.16313
threshold=0 1.0848487284861525 -0.29228304515712772 1.0000000180025095e-35
decision_type=1 10 8 2
left_child=1 3 -2 -1
right_child=2 -3 -4 -5
leaf_value=-0.10643702609151862 -0.40293419107949258 0.47939624403183506 -0.056314545868519486 0.20646623242216747
leaf_weight=59 61 17 113 50
leaf_count=59 61 17 113 50
internal_value=-0.00933334 0.0505882 -0.0526087 0.026789
internal_weight=300 126 174 109
internal_count=300 126 174 109
cat_boundaries=0 2
cat_threshold=268435457 8
is_linear=0
shrinkage=0.4


end of trees

feature_importances:
width=6
count=5
code=1

parameters:
[boosting: gbdt]
[objective: quantile]
[metric: quantile]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.4]
[num_leaves: 5]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 5]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: 2]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.7]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 2, "objective": "quantile", "average_output": false, "feature_names": ["width", "count", "code"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}, "code": {"min_value": -1, "max_value": 49, "values": [-1, 0, 28, 21, 14, 42, 35, 49, 7]}}, "tree_info": [{"tree_index": 0, "num_leaves": 5, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 13.235300064086914, "threshold": 2.5000000000000004, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.20621, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 9.752120018005371, "threshold": 1.0592821552635476, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 1.1709100000000001, "internal_weight": 255, "internal_count": 255, "left_child": {"leaf_index": 0, "leaf_value": 0.8606716616415482, "leaf_weight": 182, "leaf_count": 182}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 4.912509918212891, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 1.29443, "internal_weight": 73, "internal_count": 73, "left_child": {"split_index": 3, "split_feature": 0, "split_gain": 2.777780055999756, "threshold": 1.4122774794450443, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 1.21954, "internal_weight": 48, "internal_count": 48, "left_child": {"leaf_index": 2, "leaf_value": 1.1237241888046186, "leaf_weight": 36, "leaf_count": 36}, "right_child": {"leaf_index": 4, "leaf_value": 1.816017517170775, "leaf_weight": 11.999999999999998, "leaf_count": 12}}, "right_child": {"leaf_index": 3, "leaf_value": 1.6708261209991633, "leaf_weight": 25, "leaf_count": 25}}}, "right_child": {"leaf_index": 1, "leaf_value": 1.7987091376026911, "leaf_weight": 45, "leaf_count": 45}}}, {"tree_index": 1, "num_leaves": 5, "num_cat": 0, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 1, "split_gain": 8.467240333557129, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0106667, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 0, "split_gain": 4.474239826202393, "threshold": 0.45764074380528647, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0539623, "internal_weight": 212, "internal_count": 212, "left_child": {"leaf_index": 0, "leaf_value": -0.4137554384632088, "leaf_weight": 117, "leaf_count": 117}, "right_child": {"split_index": 3, "split_feature": 1, "split_gain": 2.4930999279022217, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0105263, "internal_weight": 95, "internal_count": 95, "left_child": {"leaf_index": 3, "leaf_value": -0.18897031496699113, "leaf_weight": 45, "leaf_count": 45}, "right_child": {"leaf_index": 4, "leaf_value": 0.1505277245389356, "leaf_weight": 50, "leaf_count": 50}}}, "right_child": {"split_index": 1, "split_feature": 0, "split_gain": 8.57703971862793, "threshold": -0.3963705478230321, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0936364, "internal_weight": 88, "internal_count": 88, "left_child": {"leaf_index": 1, "leaf_value": -0.21830895031011385, "leaf_weight": 30, "leaf_count": 30}, "right_child": {"leaf_index": 2, "leaf_value": 0.40799637038078107, "leaf_weight": 58, "leaf_count": 58}}}}, {"tree_index": 2, "num_leaves": 5, "num_cat": 1, "shrinkage": 0.4, "tree_structure": {"split_index": 0, "split_feature": 2, "split_gain": 5.194789886474609, "threshold": "0||28||35", "decision_type": "==", "default_left": false, "missing_type": "None", "internal_value": -0.00933334, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 0, "split_gain": 3.9062600135803223, "threshold": 1.0848487284861525, "decision_type": "<=", "default_left": true, "missing_type": "NaN", "internal_value": 0.0505882, "internal_weight": 126, "internal_count": 126, "left_child": {"split_index": 3, "split_feature": 1, "split_gain": 2.163130044937134, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.026789, "internal_weight": 109, "internal_count": 109, "left_child": {"leaf_index": 0, "leaf_value": -0.10643702609151862, "leaf_weight": 59, "leaf_count": 59}, "right_child": {"leaf_index": 4, "leaf_value": 0.20646623242216747, "leaf_weight": 50, "leaf_count": 50}}, "right_child": {"leaf_index": 2, "leaf_value": 0.47939624403183506, "leaf_weight": 17, "leaf_count": 17}}, "right_child": {"split_index": 2, "split_feature": 0, "split_gain": 2.432310104370117, "threshold": -0.2922830451571277, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": -0.0526087, "internal_weight": 174, "internal_count": 174, "left_child": {"leaf_index": 1, "leaf_value": -0.4029341910794926, "leaf_weight": 61, "leaf_count": 61}, "right_child": {"leaf_index": 3, "leaf_value": -0.056314545868519486, "leaf_weight": 113, "leaf_count": 113}}}}], "feature_importances": {"width": 6, "count": 5, "code": 1}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0, "code": "42"}, [2.1503909621149524], [2.1503909621149524]], [{"width": 0.8298553070613239, "count": -1.0, "code": "7"}, [0.6153868008060376], [0.6153868008060376]], [{"width": 0.9620005318430944, "count": -2.0, "code": "14"}, [0.6153868008060376], [0.6153868008060376]], [{"width": -1.298481208246912, "count": 3.0, "code": "14"}, [1.1774659962130847], [1.1774659962130847]], [{"width": -0.7213157478486046, "count": 1.0, "code": "35"}, [0.6533824556005069], [0.6533824556005069]], [{"width": -1.0258471994365972, "count": 3.0, "code": "0"}, [1.7868664197147448], [1.7868664197147448]], [{"width": null, "count": -2.0, "code": "28"}, [0.8283168477461088], [0.8283168477461088]], [{"width": -0.548944785564265, "count": -1.0, "code": "14"}, [0.043982032098846824], [0.043982032098846824]], [{"width": -0.5401312070783946, "count": 2.0, "code": "49"}, [0.23942852025194172], [0.23942852025194172]], [{"width": 1.1693971923001296, "count": 3.0, "code": "0"}, [2.686101752015307], [2.686101752015307]], [{"width": -1.617870425602848, "count": 3.0, "code": "14"}, [1.1774659962130847], [1.1774659962130847]], [{"width": -0.12607417369146828, "count": 1.0, "code": "21"}, [0.39060167730981993], [0.39060167730981993]]]', '{"width": 0.12305747870784249, "count": -0.42777319376788747, "code": -0.048496411654431956, "(base)": 0.9685989275205145}');
INSERT INTO lightgbm_documents VALUES ('zeros missing', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=width count
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3]
tree_sizes=314

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=1.33626
threshold=-0.35556929375599844
decision_type=4
left_child=-1
right_child=-2
leaf_value=0.78017204330813494 0.83789371817584191
leaf_weight=93 207
leaf_count=93 207
internal_value=0.82
internal_weight=300
internal_count=300
is_linear=0
shrinkage=1


end of trees

feature_importances:
width=1

parameters:
[boosting: gbdt]
[objective: regression]
[metric: l2]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 1]
[learning_rate: 0.4]
[num_leaves: 2]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 60]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 0.5]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 5]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 1]
[max_cat_to_onehot: 2]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 1]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "objective": "regression", "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 2, "num_cat": 0, "shrinkage": 1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 1.3362599611282349, "threshold": -0.35556929375599844, "decision_type": "<=", "default_left": false, "missing_type": "Zero", "internal_value": 0.82, "internal_weight": 300, "internal_count": 300, "left_child": {"leaf_index": 0, "leaf_value": 0.7801720433081349, "leaf_weight": 93, "leaf_count": 93}, "right_child": {"leaf_index": 1, "leaf_value": 0.8378937181758419, "leaf_weight": 207, "leaf_count": 207}}}], "feature_importances": {"width": 1}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0}, [0.8378937181758419], [0.8378937181758419]], [{"width": 0.8298553070613239, "count": -1.0}, [0.8378937181758419], [0.8378937181758419]], [{"width": 0.9620005318430944, "count": -2.0}, [0.8378937181758419], [0.8378937181758419]], [{"width": -1.298481208246912, "count": 3.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": -0.7213157478486046, "count": 1.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": -1.0258471994365972, "count": 3.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": null, "count": -2.0}, [0.8378937181758419], [0.8378937181758419]], [{"width": -0.548944785564265, "count": -1.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": -0.5401312070783946, "count": 2.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": 1.1693971923001296, "count": 3.0}, [0.8378937181758419], [0.8378937181758419]], [{"width": -1.617870425602848, "count": 3.0}, [0.7801720433081349], [0.7801720433081349]], [{"width": -0.12607417369146828, "count": 1.0}, [0.8378937181758419], [0.8378937181758419]]]', '{"width": 0.01789371920898919, "count": 0.0, "(base)": 0.8199999989668527}');
INSERT INTO lightgbm_documents VALUES ('no objective', 'tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
feature_names=width count
feature_infos=[-2.39786527267812:2.7736316673693673] [-2:3]
tree_sizes=491 481 488

Tree=0
num_leaves=4
num_cat=0
split_feature=0 1 1
split_gain=191.136 98.2162 81.9728
threshold=-0.046077343643829413 1.5000000000000002 -1.0000000180025095e-35
decision_type=8 2 2
left_child=2 -2 -1
right_child=1 -3 -4
leaf_value=-0.16704254055565054 0.058419813030207206 0.22651698313032589 0.0021522025018362555
leaf_weight=44 126 48 82
leaf_count=44 126 48 82
internal_value=0.0368677 0.104791 -0.0569317
internal_weight=300 174 126
internal_count=300 174 126
is_linear=0
shrinkage=0.1


Tree=1
num_leaves=4
num_cat=0
split_feature=0 1 1
split_gain=158.588 97.602 50.6567
threshold=-0.32374512477888789 1.5000000000000002 1.5000000000000002
decision_type=8 2 2
left_child=2 -2 -1
right_child=1 -3 -4
leaf_value=-0.11985324412695508 0.040901893358677631 0.19633710349111685 0.033087607420748101
leaf_weight=67 145 56 32
leaf_count=67 145 56 32
internal_value=0.033181 0.0842072 -0.0704178
internal_weight=300 201 99
internal_count=300 201 99
is_linear=0
shrinkage=0.1


Tree=2
num_leaves=4
num_cat=0
split_feature=0 1 1
split_gain=137.213 84.016 36.3998
threshold=0.56079578507079153 1.0000000180025095e-35 1.0000000180025095e-35
decision_type=8 2 2
left_child=1 -1 -2
right_child=2 -3 -4
leaf_value=-0.092729031802206263 0.059340681330793246 0.043534111637208196 0.16998878945074655
leaf_weight=91 61 90 58
leaf_count=91 61 90 58
internal_value=0.0298629 -0.0249739 0.11327
internal_weight=300 181 119
internal_count=300 181 119
is_linear=0
shrinkage=0.1


end of trees

feature_importances:
count=6
width=3

parameters:
[boosting: gbdt]
[objective: custom]
[metric: custom]
[tree_learner: serial]
[device_type: cpu]
[data_sample_strategy: bagging]
[data: ]
[valid: ]
[num_iterations: 3]
[learning_rate: 0.1]
[num_leaves: 4]
[num_threads: 1]
[seed: 0]
[deterministic: 0]
[force_col_wise: 0]
[force_row_wise: 0]
[histogram_pool_size: -1]
[max_depth: -1]
[min_data_in_leaf: 20]
[min_sum_hessian_in_leaf: 0.001]
[bagging_fraction: 1]
[pos_bagging_fraction: 1]
[neg_bagging_fraction: 1]
[bagging_freq: 0]
[bagging_seed: 3]
[bagging_by_query: 0]
[feature_fraction: 1]
[feature_fraction_bynode: 1]
[feature_fraction_seed: 2]
[extra_trees: 0]
[extra_seed: 6]
[early_stopping_round: 0]
[early_stopping_min_delta: 0]
[first_metric_only: 0]
[max_delta_step: 0]
[lambda_l1: 0]
[lambda_l2: 0]
[linear_lambda: 0]
[min_gain_to_split: 0]
[drop_rate: 0.1]
[max_drop: 50]
[skip_drop: 0.5]
[xgboost_dart_mode: 0]
[uniform_drop: 0]
[drop_seed: 4]
[top_rate: 0.2]
[other_rate: 0.1]
[min_data_per_group: 100]
[max_cat_threshold: 32]
[cat_l2: 10]
[cat_smooth: 10]
[max_cat_to_onehot: 4]
[top_k: 20]
[monotone_constraints: ]
[monotone_constraints_method: basic]
[monotone_penalty: 0]
[feature_contri: ]
[forcedsplits_filename: ]
[refit_decay_rate: 0.9]
[cegb_tradeoff: 1]
[cegb_penalty_split: 0]
[cegb_penalty_feature_lazy: ]
[cegb_penalty_feature_coupled: ]
[path_smooth: 0]
[interaction_constraints: ]
[verbosity: -1]
[saved_feature_importance_type: 0]
[use_quantized_grad: 0]
[num_grad_quant_bins: 4]
[quant_train_renew_leaf: 0]
[stochastic_rounding: 1]
[linear_tree: 0]
[max_bin: 255]
[max_bin_by_feature: ]
[min_data_in_bin: 3]
[bin_construct_sample_cnt: 200000]
[data_random_seed: 1]
[is_enable_sparse: 1]
[enable_bundle: 1]
[use_missing: 1]
[zero_as_missing: 0]
[feature_pre_filter: 1]
[pre_partition: 0]
[two_round: 0]
[header: 0]
[label_column: ]
[weight_column: ]
[group_column: ]
[ignore_column: ]
[categorical_feature: ]
[forcedbins_filename: ]
[precise_float_parser: 0]
[parser_config_file: ]
[objective_seed: 5]
[num_class: 1]
[is_unbalance: 0]
[scale_pos_weight: 1]
[sigmoid: 1]
[boost_from_average: 1]
[reg_sqrt: 0]
[alpha: 0.9]
[fair_c: 1]
[poisson_max_delta_step: 0.7]
[tweedie_variance_power: 1.5]
[lambdarank_truncation_level: 30]
[lambdarank_norm: 1]
[label_gain: ]
[lambdarank_position_bias_regularization: 0]
[eval_at: ]
[multi_error_top_k: 1]
[auc_mu_weights: ]
[num_machines: 1]
[local_listen_port: 12400]
[time_out: 120]
[machine_list_filename: ]
[machines: ]
[gpu_platform_id: -1]
[gpu_device_id: -1]
[gpu_device_id_list: ]
[gpu_use_dp: 0]
[num_gpu: 1]

end of parameters

pandas_categorical:[]
', '{"name": "tree", "version": "v4", "num_class": 1, "num_tree_per_iteration": 1, "label_index": 0, "max_feature_idx": 1, "average_output": false, "feature_names": ["width", "count"], "monotone_constraints": [], "feature_infos": {"width": {"min_value": -2.39786527267812, "max_value": 2.7736316673693673, "values": []}, "count": {"min_value": -2, "max_value": 3, "values": []}}, "tree_info": [{"tree_index": 0, "num_leaves": 4, "num_cat": 0, "shrinkage": 0.1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 191.13600158691406, "threshold": -0.04607734364382941, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0368677, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 81.9728012084961, "threshold": -1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0569317, "internal_weight": 126, "internal_count": 126, "left_child": {"leaf_index": 0, "leaf_value": -0.16704254055565054, "leaf_weight": 44, "leaf_count": 44}, "right_child": {"leaf_index": 3, "leaf_value": 0.0021522025018362555, "leaf_weight": 82, "leaf_count": 82}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 98.21620178222656, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.104791, "internal_weight": 174, "internal_count": 174, "left_child": {"leaf_index": 1, "leaf_value": 0.058419813030207206, "leaf_weight": 126, "leaf_count": 126}, "right_child": {"leaf_index": 2, "leaf_value": 0.2265169831303259, "leaf_weight": 48, "leaf_count": 48}}}}, {"tree_index": 1, "num_leaves": 4, "num_cat": 0, "shrinkage": 0.1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 158.58799743652344, "threshold": -0.3237451247788879, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.033181, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 2, "split_feature": 1, "split_gain": 50.656700134277344, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0704178, "internal_weight": 99, "internal_count": 99, "left_child": {"leaf_index": 0, "leaf_value": -0.11985324412695508, "leaf_weight": 67, "leaf_count": 67}, "right_child": {"leaf_index": 3, "leaf_value": 0.0330876074207481, "leaf_weight": 32, "leaf_count": 32}}, "right_child": {"split_index": 1, "split_feature": 1, "split_gain": 97.60199737548828, "threshold": 1.5000000000000002, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.0842072, "internal_weight": 201, "internal_count": 201, "left_child": {"leaf_index": 1, "leaf_value": 0.04090189335867763, "leaf_weight": 145, "leaf_count": 145}, "right_child": {"leaf_index": 2, "leaf_value": 0.19633710349111685, "leaf_weight": 56, "leaf_count": 56}}}}, {"tree_index": 2, "num_leaves": 4, "num_cat": 0, "shrinkage": 0.1, "tree_structure": {"split_index": 0, "split_feature": 0, "split_gain": 137.21299743652344, "threshold": 0.5607957850707915, "decision_type": "<=", "default_left": false, "missing_type": "NaN", "internal_value": 0.0298629, "internal_weight": 300, "internal_count": 300, "left_child": {"split_index": 1, "split_feature": 1, "split_gain": 84.01599884033203, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": -0.0249739, "internal_weight": 181, "internal_count": 181, "left_child": {"leaf_index": 0, "leaf_value": -0.09272903180220626, "leaf_weight": 91, "leaf_count": 91}, "right_child": {"leaf_index": 2, "leaf_value": 0.043534111637208196, "leaf_weight": 90, "leaf_count": 90}}, "right_child": {"split_index": 2, "split_feature": 1, "split_gain": 36.39979934692383, "threshold": 1.0000000180025095e-35, "decision_type": "<=", "default_left": true, "missing_type": "None", "internal_value": 0.11327, "internal_weight": 119, "internal_count": 119, "left_child": {"leaf_index": 1, "leaf_value": 0.059340681330793246, "leaf_weight": 61, "leaf_count": 61}, "right_child": {"leaf_index": 3, "leaf_value": 0.16998878945074655, "leaf_weight": 58, "leaf_count": 58}}}}], "feature_importances": {"width": 3, "count": 6}, "pandas_categorical": []}', '[[{"width": null, "count": 3.0}, [0.5928428760721893], [0.5928428760721893]], [{"width": 0.8298553070613239, "count": -1.0}, [0.15866238771967808], [0.15866238771967808]], [{"width": 0.9620005318430944, "count": -2.0}, [0.15866238771967808], [0.15866238771967808]], [{"width": -1.298481208246912, "count": 3.0}, [0.07877392155979254], [0.07877392155979254]], [{"width": -0.7213157478486046, "count": 1.0}, [-0.07416692998791063], [-0.07416692998791063]], [{"width": -1.0258471994365972, "count": 3.0}, [0.07877392155979254], [0.07877392155979254]], [{"width": null, "count": -2.0}, [0.15866238771967808], [0.15866238771967808]], [{"width": -0.548944785564265, "count": -1.0}, [-0.3796248164848119], [-0.3796248164848119]], [{"width": -0.5401312070783946, "count": 2.0}, [0.07877392155979254], [0.07877392155979254]], [{"width": 1.1693971923001296, "count": 3.0}, [0.5928428760721893], [0.5928428760721893]], [{"width": -1.617870425602848, "count": 3.0}, [0.07877392155979254], [0.07877392155979254]], [{"width": -0.12607417369146828, "count": 1.0}, [0.08658820749772209], [0.08658820749772209]]]', '{"width": 0.22092461630260674, "count": -0.16217378981260236, "(base)": 0.09991156122967368}');
\set ECHO all
SELECT name, info(m) #>> '{statistics,imported}' AS imported, c.* FROM lightgbm_documents d, import_model(document) m, lightgbm_compared(m, document, rows) c ORDER BY number;
-- the dump has the same trees
SELECT name, c.* FROM lightgbm_documents d, import_model(dump) m, lightgbm_compared(m, document, rows) c WHERE c.scores + c.predictions > 0 OR count = 0 ORDER BY number;
SELECT count(*) AS same FROM lightgbm_documents WHERE regexp_replace(import_model(document)::text, '"importance":.[^]]*.', '') = regexp_replace(import_model(dump::text)::text, '"importance":.[^]]*.', '');
-- gains have six digits in the text
SELECT name FROM lightgbm_documents WHERE (SELECT count(*) FROM importance(import_model(document)) a JOIN importance(import_model(dump)) b USING (feature) WHERE near(a.importance, b.importance, 1e-5)) <> (SELECT count(*) FROM importance(import_model(dump)));
-- the same Shapley values, of the sums
SELECT name, count(*) AS features, count(*) FILTER (WHERE near(lightgbm_stretched((d.shapley ->> f.feature)::float8, document, m), coalesce(e.part, 0), 1e-12)) AS same
FROM lightgbm_documents d, import_model(document) m, jsonb_object_keys(d.shapley) AS f(feature)
    LEFT JOIN LATERAL (SELECT sum(contribution) AS part FROM explain(m, d.rows -> 1 -> 0) WHERE regexp_replace(term, '(=| IS NULL).*', '') = f.feature) e ON true
WHERE jsonb_typeof(d.shapley) = 'object' GROUP BY number, name ORDER BY number;
-- SQL gives the same numbers
CREATE FUNCTION lightgbm_written(m model, rows jsonb, names text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE s float8[];
BEGIN
    EXECUTE format('SELECT array_agg(%s ORDER BY n) FROM jsonb_array_elements($1) WITH ORDINALITY AS j(one, n), LATERAL jsonb_to_record(one -> 0) AS r(%s)', to_sql(m), names) INTO s USING rows;
    RETURN s;
END $$;
SELECT name, bool_and(near(w, predict(m, one -> 0), 1e-14)) AS same
FROM lightgbm_documents d, import_model(document) m, lightgbm_written(m, rows, CASE WHEN name LIKE 'codes%' THEN 'width float8, count float8, code text' ELSE 'width float8, count float8, kind text, rank text' END) AS s(numbers), unnest(numbers) WITH ORDINALITY AS u(w, n),
    jsonb_array_elements(rows) WITH ORDINALITY AS j(one, k)
WHERE n = k AND info(m) ->> 'estimator' = 'boosted_trees_regression' GROUP BY number, name ORDER BY number;
-- levels: those of pandas, or the numbers
SELECT name, levels.* FROM lightgbm_documents, levels(import_model(document)) WHERE name IN ('regression', 'codes without texts') ORDER BY number, feature, level LIMIT 14;
