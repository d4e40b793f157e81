-- The example data of the manual: psql -f examples/load.sql, from the folder above examples/.
CREATE EXTENSION IF NOT EXISTS pgfit;
CREATE TABLE diamonds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    carat float8, cut text, color text, clarity text, depth float8, "table" float8, price int,
    x float8, y float8, z float8);
\copy diamonds (carat, cut, color, clarity, depth, "table", price, x, y, z) FROM 'examples/diamonds.csv' WITH (FORMAT csv, HEADER)
ANALYZE diamonds;
-- penguins near Palmer Station, Antarctica; some of the measurements are missing
CREATE TABLE penguins (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
\copy penguins (species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) FROM 'examples/penguins.csv' WITH (FORMAT csv, HEADER)
ANALYZE penguins;
-- passengers of the Titanic; the age of every fifth and most decks are not known
CREATE TABLE titanic (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
\copy titanic (survived, pclass, sex, age, sibsp, parch, fare, embarked, class, who, adult_male, deck, embark_town, alive, alone) FROM 'examples/titanic.csv' WITH (FORMAT csv, HEADER)
ANALYZE titanic;
