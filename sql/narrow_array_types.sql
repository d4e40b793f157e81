-- Arrays of 32-bit and 8-bit numbers keep every bit via text, jsonb and binary; info() reads them.
set search_path = public, pgfit;
\set VERBOSITY terse
create temp table narrow as
select format($json$
{"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "geometric_median", "fields": 1, "slots": 1,
 "rows": 3, "skipped": 0, "weight": 3,
 "arrays": {"center": [1]},
 "facts": {"least": {"i32": -2147483648}, "octet": {"u8": 255}, "tenth": {"f32": [0.1]},
   "floats": {"f32": [1.5, "-0x0p+0", "0x1p-149", 0.1, "inf"]},
   "float_matrix": {"f32": [1, 2, 3, 4, 5, 6], "shape": [2, 3]},
   "integers": {"i32": [-2147483648, 2147483647]},
   "integer_matrix": {"i32": [1, 2, 3, 4], "shape": [2, 2]},
   "octets": {"u8": [0, 7, 255]},
   "octet_matrix": {"u8": [1, 2, 3, 4], "shape": [1, 4]},
   "long_floats": {"f32": %s}, "long_integers": {"i32": %s}, "long_octets": {"u8": %s}}}
$json$, f, i, o)::pgfit.model as model
from (select json_agg(n / 8.0)::text as f, json_agg(-n)::text as i, json_agg(n)::text as o
      from generate_series(0, 99) n) s;

select (select array_agg((v #>> '{}')::float4) from jsonb_array_elements(f -> 'floats') v) as floats,
       f -> 'float_matrix' as float_matrix, f -> 'integers' as integers,
       f -> 'integer_matrix' as integer_matrix, f -> 'octets' as octets, f -> 'octet_matrix' as octet_matrix
from (select pgfit.info(model) -> 'statistics' as f from narrow) s;
select jsonb_array_length(f -> 'long_floats') as n,
       (select bool_and(v::float8 = (i - 1) / 8.0) from jsonb_array_elements(f -> 'long_floats') with ordinality u(v, i)) as floats,
       (select bool_and(v::int = 1 - i) from jsonb_array_elements(f -> 'long_integers') with ordinality u(v, i)) as integers,
       (select bool_and(v::int = i - 1) from jsonb_array_elements(f -> 'long_octets') with ordinality u(v, i)) as octets
from (select pgfit.info(model) -> 'statistics' as f from narrow) s;
select model::text::pgfit.model = model as text, model::jsonb::pgfit.model = model as jsonb,
       pgfit_internal.model_hash(model::jsonb::pgfit.model) = pgfit_internal.model_hash(model) as hash
from narrow;
select model::jsonb -> 'facts' -> 'floats' as floats, model::jsonb -> 'facts' -> 'long_octets' ->> 'u8' like 'AAECAwQF%' as base64,
       model::jsonb -> 'facts' -> 'least' as least, model::jsonb -> 'facts' -> 'octet' as octet, model::jsonb -> 'facts' -> 'tenth' as tenth
from narrow;

-- values outside a type are refused
create function pg_temp.read_array(value text) returns pgfit.model language sql as $$
select ('{"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "geometric_median", "fields": 1, "slots": 1,
 "rows": 3, "skipped": 0, "weight": 3, "arrays": {"center": [1]}, "facts": {"a": ' || value || '}}')::pgfit.model
$$;
select pg_temp.read_array('{"u8": [256]}');
select pg_temp.read_array('{"i32": [2147483648]}');
select pg_temp.read_array('{"f32": [1e39]}');
select pg_temp.read_array('{"f32": "AAAA"}');
select pg_temp.read_array('{"f64": [1], "f32": [1]}');

-- methods that use them: a tree's numbers are in the narrowest type that holds each array, and parameter() shows them all
create temp table trees as
select tree_regression(i % 3 * 1.5, array[i, i % 7 / 8.0]) as small, tree_regression(i / 3.0, (select array_agg(i * k % 97 / 10.0) from generate_series(1, 130) k)) as wide
from generate_series(1, 40) i;
select a.key as array, a.value ->> 'type' as type from trees, jsonb_each(info(small) -> 'implementation' -> 'arrays') a order by 1;
select a.key as array, a.value ->> 'type' as type from trees, jsonb_each(info(wide) -> 'implementation' -> 'arrays') a order by 1;
select cardinality(parameter(small, 'split')) = (select count(*) from tree_nodes(small)) as splits,
       parameter(small, 'tree_nodes') = array[(select count(*)::float8 from tree_nodes(small))] as nodes,
       parameter(wide, 'threshold') = (select array_agg(threshold order by node) from tree_nodes(wide) where feature is not null) as thresholds
from trees;
select small::text::pgfit.model = small as text, small::jsonb::pgfit.model = small as jsonb, wide::jsonb::pgfit.model = wide as wide from trees;
