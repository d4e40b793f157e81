-- Table of bench/location.py.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE location_3 AS
SELECT ARRAY[random() + random() + random(), random() + random(), random()] AS x FROM generate_series(1, :rows / 50) i;
