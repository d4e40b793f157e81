{{ config(materialized='table') }}
SELECT t.id, t.alive, pgfit.probability({{ pgfit_name(ref('survival_model')) }}, t) AS probability
FROM {{ source('example', 'titanic') }} AS t
