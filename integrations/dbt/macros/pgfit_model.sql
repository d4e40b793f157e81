{#
    A dbt model that is a model of pgfit: its query has the rows to learn from, and dbt run trains the next version of the name
    in the registry (pgfit.train) and makes a view with its metrics.

        {{ config(materialized='pgfit_model', estimator='logistic_regression', formula='alive ~ age + sex',
                  options={'holdout': {'key': 'id'}, 'promote': 'if_better'}) }}
        SELECT * FROM {{ ref('person') }}

    The name in the registry is that of the dbt model, with its schema before it unless registry_name says otherwise, so that
    targets do not overwrite each other. Other models score with {{ pgfit_name(ref('...')) }}.
#}
{% macro pgfit_literal(text) %}'{{ text | replace("'", "''") }}'{% endmacro %}

{% macro pgfit_name(relation) %}{{ pgfit_literal(relation.schema ~ '.' ~ relation.identifier) }}{% endmacro %}

{% materialization pgfit_model, adapter='postgres' %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set existing_relation = load_cached_relation(this) -%}
  {%- set estimator = config.require('estimator') -%}
  {%- set formula = config.get('formula') -%}
  {%- set options = config.get('options', {}) -%}
  {%- set columns = ['version', 'active', 'status', 'estimator', 'metrics', 'rows', 'trained_at', 'message'] -%}
  {%- set name = pgfit_literal(config.get('registry_name')) if config.get('registry_name') else pgfit_name(this) -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {% call statement('train') -%}
    SELECT version, active, message FROM pgfit.train({{ name }}, {{ pgfit_literal(estimator) }}, {{ pgfit_literal(sql) }},
        {{ pgfit_literal(formula) if formula else 'NULL' }}, {{ pgfit_literal(tojson(options)) }})
  {%- endcall %}
  {#- a view with these columns is replaced, and keeps what depends on it; anything else of the name goes #}
  {% if existing_relation is not none and
        (existing_relation.type != 'view' or adapter.get_columns_in_relation(existing_relation) | map(attribute='name') | list != columns) %}
    {{ adapter.drop_relation(existing_relation) }}
  {% endif %}
  {% call statement('main') -%}
    CREATE OR REPLACE VIEW {{ target_relation }} AS
    SELECT {{ columns | join(', ') }} FROM pgfit.history({{ name }})
  {%- endcall %}

  {% do apply_grants(target_relation, config.get('grants'), should_revoke=True) %}
  {% do persist_docs(target_relation, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
