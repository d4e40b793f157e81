-- Arrays of 32-bit and 8-bit numbers keep every bit via text, jsonb and binary; parameter() and info() read them.
set search_path = public, pgfit;
\set VERBOSITY terse
create temp table narrow as
select format($json$
{"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "geometric_median", "fields": 1, "slots": 1,
 "rows": 3, "skipped": 0, "weight": 3,
 "facts": {"least": {"i32": -2147483648}, "octet": {"u8": 255}, "tenth": {"f32": [0.1]}},
 "arrays": {"center": [1],
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

select pgfit.parameter(model, 'floats')::float4[] as floats, pgfit.parameter(model, 'float_matrix') as float_matrix,
       pgfit.parameter(model, 'integers') as integers, pgfit.parameter(model, 'integer_matrix') as integer_matrix,
       pgfit.parameter(model, 'octets') as octets, pgfit.parameter(model, 'octet_matrix') as octet_matrix
from narrow;
select cardinality(pgfit.parameter(model, 'long_floats')) as n,
       (select bool_and(v = (i - 1) / 8.0) from unnest(pgfit.parameter(model, 'long_floats')) with ordinality u(v, i)) as floats,
       (select bool_and(v = 1 - i) from unnest(pgfit.parameter(model, 'long_integers')) with ordinality u(v, i)) as integers,
       (select bool_and(v = i - 1) from unnest(pgfit.parameter(model, 'long_octets')) with ordinality u(v, i)) as octets
from narrow;
select model::text::pgfit.model = model as text, model::jsonb::pgfit.model = model as jsonb,
       pgfit_internal.model_hash(model::jsonb::pgfit.model) = pgfit_internal.model_hash(model) as hash
from narrow;
select model::jsonb -> 'arrays' -> 'floats' as floats, model::jsonb -> 'arrays' -> 'long_octets' ->> 'u8' like 'AAECAwQF%' as base64,
       model::jsonb -> 'facts' as facts
from narrow;
select pgfit.info(model) -> 'arrays' -> 'float_matrix' as f32, pgfit.info(model) -> 'arrays' -> 'integers' as i32,
       pgfit.info(model) -> 'arrays' -> 'octets' as u8
from narrow;

-- values outside a type are refused
create function pg_temp.read_array(value text) returns pgfit.model language sql as $$
select ('{"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "geometric_median", "fields": 1, "slots": 1,
 "rows": 3, "skipped": 0, "weight": 3, "arrays": {"center": [1], "a": ' || value || '}}')::pgfit.model
$$;
select pg_temp.read_array('{"u8": [256]}');
select pg_temp.read_array('{"i32": [2147483648]}');
select pg_temp.read_array('{"f32": [1e39]}');
select pg_temp.read_array('{"f32": "AAAA"}');
select pg_temp.read_array('{"f64": [1], "f32": [1]}');
