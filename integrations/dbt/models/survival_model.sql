{{ config(materialized='pgfit_model', estimator='logistic_regression', formula='alive ~ age + sex + class',
          options={'holdout': {'key': 'id'}, 'promote': 'if_better', 'nulls': 'impute'}) }}
SELECT id, alive, age, sex, class FROM {{ source('example', 'titanic') }}
