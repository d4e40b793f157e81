-- The example data of the manual: psql -f examples/load.sql, from the folder above examples/.
CREATE EXTENSION IF NOT EXISTS pgfit;
CREATE TABLE diamonds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    carat float8, cut text, color text, clarity text, depth float8, "table" float8, price int,
    x float8, y float8, z float8);
\copy diamonds (carat, cut, color, clarity, depth, "table", price, x, y, z) FROM 'examples/diamonds.csv' WITH (FORMAT csv, HEADER)
ANALYZE diamonds;
