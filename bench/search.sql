-- Table of bench/search.py: a number and 10 features, as columns and, for its peer, as an array.
SELECT setseed(0.25) AS seed \gset

SELECT format('CREATE TABLE search_10 AS SELECT a1 - 2 * a5 + a9 * a2 + random() AS y, ARRAY[%1$s] AS x, * FROM (SELECT %2$s FROM generate_series(1, %3$s) OFFSET 0) g',
              (SELECT string_agg('a' || i, ', ' ORDER BY i) FROM generate_series(1, 10) AS i),
              (SELECT string_agg('random() AS a' || i, ', ' ORDER BY i) FROM generate_series(1, 10) AS i), :rows) \gexec
