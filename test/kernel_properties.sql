-- Mathematical properties of kernels: symmetry, normalization, positive semi-definite Gram matrices, sums and products, on random texts and rows.
BEGIN;
SELECT plan(20);
\ir tap/near.sql
SELECT setseed(0.375) IS NULL AS seeded \gset
CREATE TEMP TABLE texts AS
SELECT i, (SELECT string_agg(substr('abcä', 1 + floor(random() * 4)::int, 1), '') FROM generate_series(1, 3 + i % 12) WHERE i > 0) AS s FROM generate_series(1, 30) AS i;
CREATE TEMP TABLE points AS SELECT i, ARRAY[random() - 0.5, random() * 3, random()] AS x FROM generate_series(1, 30) AS i;
CREATE TEMP TABLE kernels (k text, o jsonb);
INSERT INTO kernels VALUES ('spectrum', '{"length": 1}'), ('spectrum', '{"length": 3}'), ('subsequence', '{"length": 2}'), ('subsequence', '{"length": 3, "decay": 0.9}');

SELECT ok(bool_and(kernel(a.s, b.s, k, o) = kernel(b.s, a.s, k, o)), k || ' ' || o || ': symmetric'),
       ok(bool_and(kernel(a.s, a.s, k, o) = 1 AND kernel(a.s, b.s, k, o) BETWEEN 0 AND 1), k || ' ' || o || ': 1 of itself, at most 1'),
       ok(bool_and(pg_temp.near(kernel(a.s, b.s, k, o), kernel_cosine(a.s, b.s, k, o || '{"normalized": false}'), 1e-12)), k || ' ' || o || ': normalized is the cosine')
FROM kernels, texts a, texts b GROUP BY k, o ORDER BY k, o;

-- sum c_i c_j k(s_i, s_j) >= 0 for random c, which sum to 0 or not
WITH c AS (SELECT t, i, random() - 0.5 * (t % 2) AS c FROM generate_series(1, 20) AS t, generate_series(1, 30) AS i)
SELECT ok(bool_and(v >= -1e-10), 'quadratic forms of Gram matrices are not negative')
FROM (SELECT k, o, p.t, sum(p.c * q.c * kernel(a.s, b.s, k, o)) AS v FROM kernels, texts a, texts b, c p, c q WHERE p.t = q.t AND p.i = a.i AND q.i = b.i AND p.t <= 5 GROUP BY k, o, p.t) AS f;
-- a fit that takes the matrix as features gives the clusters of a fit that takes the texts
SELECT ok(parameter(t, 'clusters') = parameter(g, 'clusters') AND parameter(t, 'offsets') = parameter(g, 'offsets'), 'Gram matrices of texts are features')
FROM (SELECT kernel_kmeans(s, 2, o || '{"kernel": "subsequence", "length": 2}' ORDER BY i) AS t, kernel_kmeans(g, 2, o || '{"kernel": "precomputed"}' ORDER BY i) AS g
      FROM (SELECT a.i, a.s, array_agg(kernel(a.s, b.s, 'subsequence', '{"length": 2}') ORDER BY b.i) AS g FROM texts a, texts b GROUP BY a.i, a.s) AS m,
          (SELECT jsonb_build_object('init', jsonb_agg(1 + i % 2 ORDER BY i)) AS o FROM texts) AS o) AS fits;

-- repeating a text changes nothing that is normalized by counts of one character; a text that contains no common string has kernel 0
SELECT ok(bool_and(pg_temp.near(spectrum_kernel(repeat(a.s, 3), b.s, 1), spectrum_kernel(a.s, b.s, 1), 1e-12) AND spectrum_kernel(a.s, 'xyz', 1) = 0 AND subsequence_kernel(a.s, 'xyz', 1) = 0), 'counts of characters scale')
FROM texts a, texts b;
-- without gaps to skip and with decay 1, a subsequence of one character is a window of one character
SELECT ok(bool_and(subsequence_kernel(a.s, b.s, 1, 1, false) = spectrum_kernel(a.s, b.s, 1, false)), 'subsequences and windows of one character') FROM texts a, texts b;
-- what two texts have in common as adjacent characters, they have as subsequences; gaps only add
SELECT ok(bool_and(subsequence_kernel(a.s, b.s, n, 1, false) >= spectrum_kernel(a.s, b.s, n, false)), 'subsequences include windows') FROM texts a, texts b, generate_series(1, 4) AS n;

-- sums and products are those of the values, in any nesting
SELECT ok(bool_and(pg_temp.near(kernel(a.x, b.x, '{"sum": [{"kernel": "rbf", "gamma": 2}, {"kernel": "linear", "weight": 0.25}]}'), kernel(a.x, b.x, 'rbf', '{"gamma": 2}') + 0.25 * kernel(a.x, b.x, 'linear'), 1e-12)
       AND pg_temp.near(kernel(a.x, b.x, '{"product": [{"sum": [{"kernel": "rbf", "gamma": 2}, {"kernel": "polynomial"}], "weight": 2}, {"kernel": "linear"}]}'),
                        2 * (kernel(a.x, b.x, 'rbf', '{"gamma": 2}') + kernel(a.x, b.x, 'polynomial')) * kernel(a.x, b.x, 'linear'), 1e-12)), 'sums and products') FROM points a, points b;
-- weights move from a kernel to the sum around it; one factor of 1 is nothing
SELECT ok(bool_and(kernel(a.x, b.x, '{"sum": [{"kernel": "linear", "weight": 4}]}') = kernel(a.x, b.x, '{"sum": [{"kernel": "linear"}], "weight": 4}')
       AND kernel(a.x, b.x, '{"product": [{"kernel": "linear"}]}') = kernel(a.x, b.x, 'linear')), 'weights') FROM points a, points b;
SELECT ok(bool_and(pg_temp.near(g[a.i][b.i], kernel(a.x, b.x, '{"product": [{"kernel": "polynomial", "degree": 2}, {"kernel": "sigmoid"}]}'), 1e-12)), 'Gram matrices hold the values')
FROM points a, points b, (SELECT gram_matrix(x, '{"product": [{"kernel": "polynomial", "degree": 2}, {"kernel": "sigmoid"}]}' ORDER BY i) AS g FROM points) AS m;
SELECT * FROM finish();
ROLLBACK;
