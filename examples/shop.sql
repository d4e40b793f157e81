-- A small shop, made up: customers, products, orders, payments, a trial and a calendar, in the schema shop. Nobody measured these rows. They follow from
-- the formulas below and from hashes of numbers, so they are the same on every machine. What is in them to be found:
--   customers  buy more or less often; some stop. Late deliveries, which one depot has often, make them stop sooner. 40 of them are in the table twice,
--              under names that differ by a letter or so: duplicate_of says of whom.
--   products   prices follow from weight, rating and brand, differently in each category; one category has four products
--   orders     two years, with weekdays, seasons, holidays and promotions in their numbers
--   payments   about 1 % fraud: at night, with new cards, several attempts, high amounts
--   trial      of a new checkout: it sells a little more, to those who bought before as well
--   calendar   every day with its orders, and the month after the last one, of which the calendar alone is known
CREATE TABLE IF NOT EXISTS shop.customers (
    id int PRIMARY KEY, name text, city text, depot text, channel text, age int, newsletter boolean, joined date, duplicate_of int);
CREATE TABLE IF NOT EXISTS shop.products (
    id int PRIMARY KEY, name text, category text, brand text, weight_kg float8, rating float8, price float8);
CREATE TABLE IF NOT EXISTS shop.orders (
    id int PRIMARY KEY, customer_id int, product_id int, ordered_on date, quantity int, discount float8, amount float8, late boolean);
CREATE INDEX IF NOT EXISTS orders_of_customer ON shop.orders (customer_id, ordered_on);
CREATE TABLE IF NOT EXISTS shop.payments (
    order_id int PRIMARY KEY, method text, hour int, card_age_days int, attempts int, amount float8, fraud boolean);
CREATE TABLE IF NOT EXISTS shop.trial (
    customer_id int PRIMARY KEY, checkout text, bought boolean, spent float8, spent_before float8);
CREATE TABLE IF NOT EXISTS shop.calendar (
    day date PRIMARY KEY, weekday text, month int, holiday boolean, promotion boolean, orders int);
TRUNCATE shop.customers, shop.products, shop.orders, shop.payments, shop.trial, shop.calendar;

-- a number between 0 and 1 that looks random: the same for the same key
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql IMMUTABLE
AS $$ SELECT (('x' || substr(md5(key), 1, 8))::bit(32)::bigint + 0.5) / 4294967296.0 $$;
CREATE FUNCTION pg_temp.normal(key text) RETURNS float8 LANGUAGE sql IMMUTABLE
AS $$ SELECT sqrt(-2 * ln(pg_temp.chance(key || 'r'))) * cos(2 * pi() * pg_temp.chance(key || 'a')) $$;

INSERT INTO shop.calendar (day, weekday, month, holiday, promotion)
SELECT day, (ARRAY['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])[extract(isodow FROM day)::int], extract(month FROM day),
       to_char(day, 'MM-DD') IN ('01-01', '05-01', '08-15', '10-31', '12-25', '12-26'),
       extract(month FROM day) IN (3, 6, 9, 11) AND extract(day FROM day) BETWEEN 20 AND 26
FROM (SELECT date '2024-01-01' + i AS day FROM generate_series(0, 761) AS i) AS days;

INSERT INTO shop.customers
SELECT id, first || ' ' || last, city, CASE WHEN city IN ('Lyon', 'Nice') THEN 'south' ELSE 'north' END, channel, age, newsletter,
       date '2023-07-01' + (820 * pg_temp.chance(id || 'joined'))::int, NULL
FROM (SELECT id,
             (ARRAY['Anna', 'Bruno', 'Carla', 'David', 'Elena', 'Felix', 'Greta', 'Hugo', 'Irene', 'Jonas', 'Katrin', 'Louis', 'Marta', 'Nadia', 'Oscar', 'Paula',
                    'Quentin', 'Rosa', 'Stefan', 'Teresa', 'Ursula', 'Viktor', 'Wanda', 'Xavier', 'Yvonne', 'Zoltan', 'Beatrice', 'Cedric', 'Dorothea', 'Emilio'])
                 [1 + floor(30 * pg_temp.chance(id || 'first'))::int] AS first,
             (ARRAY['Ber', 'Cast', 'Dom', 'Fisch', 'Gar', 'Hol', 'Jan', 'Kra', 'Lind', 'Mar', 'Nor', 'Ols', 'Per', 'Ros', 'Sch', 'Thal', 'Ulr', 'Vern', 'Wag', 'Zim'])
                 [1 + floor(20 * pg_temp.chance(id || 'last'))::int] ||
             (ARRAY['agnon', 'bach', 'dini', 'ellano', 'feld', 'gardt', 'hammer', 'inger', 'kowski', 'lander', 'mann', 'nero', 'otti', 'quist', 'rouge', 'stein', 'taler', 'ucci', 'ville', 'wald'])
                 [1 + floor(20 * pg_temp.chance(id || 'name'))::int] AS last,
             (ARRAY['Lyon', 'Nice', 'Paris', 'Lille', 'Paris', 'Nantes', 'Lyon', 'Metz'])[1 + floor(8 * pg_temp.chance(id || 'city'))::int] AS city,
             (ARRAY['search', 'search', 'ads', 'friend'])[1 + floor(4 * pg_temp.chance(id || 'channel'))::int] AS channel,
             18 + floor(60 * pg_temp.chance(id || 'age') * pg_temp.chance(id || 'young'))::int AS age,
             pg_temp.chance(id || 'news') < 0.4 AS newsletter
      FROM generate_series(1, 1960) AS id) AS c;
-- the same persons once more: a letter left out, two in the wrong order, or one doubled
INSERT INTO shop.customers
SELECT 1960 + i, CASE i % 3 WHEN 0 THEN left(name, at - 1) || substr(name, at + 1)
                            WHEN 1 THEN left(name, at - 1) || substr(name, at + 1, 1) || substr(name, at, 1) || substr(name, at + 2)
                            ELSE left(name, at) || substr(name, at) END,
       city, depot, channel, age, newsletter, joined + 90, id
FROM (SELECT i, c.*, length(name) - 2 - i % 4 AS at FROM generate_series(1, 40) AS i JOIN shop.customers AS c ON c.id = i * 47) AS twice;

INSERT INTO shop.products
SELECT id, brand || ' ' || category || ' ' || id, category, brand, weight, rating,
       round((exp(CASE category WHEN 'tent' THEN 4.6 WHEN 'boots' THEN 4.3 WHEN 'jacket' THEN 4.4 WHEN 'stove' THEN 3.3 WHEN 'lamp' THEN 2.9 ELSE 6.8 END
                  + CASE category WHEN 'tent' THEN -0.25 WHEN 'boots' THEN -0.1 WHEN 'jacket' THEN -0.4 WHEN 'stove' THEN 0.9 WHEN 'lamp' THEN 0.5 ELSE 0.1 END * weight
                  + 0.18 * (rating - 4) + CASE brand WHEN 'Alta' THEN 0.35 WHEN 'Borea' THEN 0 WHEN 'Cirrus' THEN 0.1 ELSE -0.2 END
                  + 0.12 * pg_temp.normal(id || 'price')))::numeric, 2)
FROM (SELECT id, category, (ARRAY['Alta', 'Borea', 'Cirrus', 'Dune'])[1 + floor(4 * pg_temp.chance(id || 'brand'))::int] AS brand,
             round((CASE category WHEN 'tent' THEN 3.0 WHEN 'boots' THEN 1.3 WHEN 'jacket' THEN 0.7 WHEN 'stove' THEN 0.6 WHEN 'lamp' THEN 0.2 ELSE 2.4 END
                    * (0.6 + 0.8 * pg_temp.chance(id || 'weight')))::numeric, 2) AS weight,
             round((3 + 2 * sqrt(pg_temp.chance(id || 'rating')))::numeric, 1) AS rating
      FROM (SELECT id, CASE WHEN id <= 80 THEN 'tent' WHEN id <= 170 THEN 'boots' WHEN id <= 260 THEN 'jacket' WHEN id <= 310 THEN 'stove'
                            WHEN id <= 356 THEN 'lamp' ELSE 'kayak' END AS category FROM generate_series(1, 360) AS id) AS p) AS p;

-- each customer's weeks until the last one; in some of them an order, on a day that others like as well
WITH customer AS MATERIALIZED (
    SELECT id, depot, newsletter, joined, (0.018 + 0.2 * pg_temp.chance(id || 'rate') ^ 2) * CASE WHEN newsletter THEN 1.3 ELSE 1 END AS rate,
           joined + (-ln(pg_temp.chance(id || 'stop')) * CASE depot WHEN 'south' THEN 350 ELSE 1150 END
                     * CASE channel WHEN 'friend' THEN 1.4 WHEN 'ads' THEN 0.7 ELSE 1 END)::int AS stopped
    FROM shop.customers
), week AS MATERIALIZED (
    SELECT c.*, week, pg_temp.chance(c.id || 'w' || week) / rate AS pick
    FROM customer AS c,
         generate_series(greatest((joined - date '2024-01-01') / 7 + 1, 0), least((stopped - date '2024-01-01') / 7, 104)) AS week
), liked AS MATERIALIZED (
    SELECT day, promotion,
           CASE weekday WHEN 'Mon' THEN 0.15 WHEN 'Fri' THEN 0.16 WHEN 'Sat' THEN 0.24 WHEN 'Sun' THEN 0.18 ELSE 0.09 END
           * CASE WHEN holiday THEN 0.3 WHEN promotion THEN 1.8 ELSE 1 END
           * (1 + 0.35 * cos(2 * pi() * (extract(doy FROM day) - 170) / 365)) * CASE WHEN month = 12 AND extract(day FROM day) < 22 THEN 1.7 ELSE 1 END AS share
    FROM shop.calendar WHERE day <= date '2025-12-31'
), day AS MATERIALIZED (
    SELECT day, promotion, (day - date '2024-01-01') / 7 AS week, share, sum(share) OVER (PARTITION BY (day - date '2024-01-01') / 7 ORDER BY day) AS until
    FROM liked
), choice AS MATERIALIZED (
    SELECT w.*, d.day, d.promotion, w.id || 'o' || w.week AS key, 1 + floor(359 * pg_temp.chance(w.id || 'p' || w.week) ^ 1.3)::int AS product_id
    FROM (SELECT * FROM week WHERE pick < 3) AS w JOIN day AS d ON d.week = w.week AND pick >= until - share AND pick < until
), bought AS MATERIALIZED (
    SELECT c.*, p.price, 1 + floor(2.6 * pg_temp.chance(key || 'quantity') ^ 4)::int AS quantity,
           CASE WHEN promotion THEN 0.2 WHEN newsletter AND pg_temp.chance(key || 'coupon') < 0.3 THEN 0.1 ELSE 0 END AS discount,
           pg_temp.chance(key || 'late') < CASE depot WHEN 'south' THEN 0.30 ELSE 0.06 END AS late
    FROM choice AS c JOIN shop.products AS p ON p.id = product_id
)
INSERT INTO shop.orders
SELECT row_number() OVER (ORDER BY day, id), id, product_id, day, quantity, discount, round((quantity * price * (1 - discount))::numeric, 2), late
FROM bought;

INSERT INTO shop.payments
SELECT order_id, CASE WHEN fraud OR pg_temp.chance(order_id || 'card') < 0.6 THEN 'card' WHEN pg_temp.chance(order_id || 'bank') < 0.7 THEN 'transfer' ELSE 'invoice' END,
       CASE WHEN fraud AND pg_temp.chance(order_id || 'night') < 0.6 THEN floor(6 * pg_temp.chance(order_id || 'hour'))::int
            ELSE 7 + floor(8.5 * (pg_temp.chance(order_id || 'hour') + pg_temp.chance(order_id || 'clock')))::int END,
       floor(CASE WHEN fraud THEN 60 ELSE 1400 END * pg_temp.chance(order_id || 'age') ^ 1.5)::int,
       1 + floor(CASE WHEN fraud THEN 4 ELSE 1.6 END * pg_temp.chance(order_id || 'tries') ^ 2)::int, amount, fraud
FROM (SELECT id AS order_id, amount, pg_temp.chance(id || 'fraud') < CASE WHEN amount > 120 THEN 0.025 ELSE 0.007 END AS fraud FROM shop.orders) AS o;

INSERT INTO shop.trial
SELECT id, checkout, spent > 0, round(spent::numeric, 2), round(before::numeric, 2)
FROM (SELECT c.id, checkout, coalesce(sum(o.amount) FILTER (WHERE ordered_on >= date '2025-07-01'), 0) AS before,
             CASE WHEN pg_temp.chance(c.id || 'buys') < 0.16 + CASE checkout WHEN 'new' THEN 0.04 ELSE 0 END + 0.25 * (count(o.id) FILTER (WHERE ordered_on >= date '2025-07-01') > 0)::int
                  THEN exp(4.2 + 0.5 * pg_temp.normal(c.id || 'spent')) + 0.15 * coalesce(sum(o.amount) FILTER (WHERE ordered_on >= date '2025-07-01'), 0) ELSE 0 END AS spent
      FROM (SELECT id, CASE WHEN pg_temp.chance(id || 'trial') < 0.5 THEN 'new' ELSE 'old' END AS checkout FROM shop.customers WHERE duplicate_of IS NULL) AS c
      LEFT JOIN shop.orders AS o ON o.customer_id = c.id
      GROUP BY c.id, checkout) AS t;

UPDATE shop.calendar AS c SET orders = n FROM (SELECT ordered_on, count(*) AS n FROM shop.orders GROUP BY ordered_on) AS o WHERE o.ordered_on = c.day;
UPDATE shop.calendar SET orders = 0 WHERE orders IS NULL AND day <= date '2025-12-31';
DROP FUNCTION pg_temp.normal(text);
DROP FUNCTION pg_temp.chance(text);
