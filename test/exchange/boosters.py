"""
What the comparisons with programs of boosted trees share: random rows, a signal in them, and a database that scores them.
"""
import io

import numpy as np
import pandas as pd
import psycopg2

LEVELS = [f"level {i}" for i in range(80)]


def random_rows(rng, count):
    """A frame of numbers of all sizes, categories and holes."""
    frame = {}
    for j in range(rng.integers(1, 7)):
        kind = rng.integers(0, 5)
        if kind == 0:
            x = rng.normal(size=count)
        elif kind == 1:
            x = rng.integers(-3, 4, size=count) * 1.0
        elif kind == 2:  # doubles close to floats, and half way between two
            near = np.float32(rng.normal(size=count))
            above = np.nextafter(near, np.float32(np.inf))
            x = np.choose(rng.integers(0, 4, size=count), [near.astype(float), (near.astype(float) + above) / 2, np.nextafter(near.astype(float), -9), above.astype(float)])
        elif kind == 3:  # the smallest and the largest floats
            x = np.exp2(rng.uniform(-150, 126, size=count)) * rng.choice([-1, 0, 1], size=count)
            x = np.where(rng.random(count) < 0.2, np.float32(x).astype(float), x)
        else:
            x = rng.choice([0.0, -0.0, 1e-45, -1e-45, 7e-46, -7e-46, 1.0, 3.4e38, -3.4e38], size=count)
        frame[f"x{j}"] = np.where(rng.random(count) < rng.choice([0, 0.2]), np.nan, x)
    for j in range(rng.integers(0, 3)):
        levels = LEVELS[: rng.integers(2, len(LEVELS))]
        codes = rng.integers(0, len(levels), size=count)
        codes = np.where(rng.random(count) < rng.choice([0, 0.2]), -1, codes)
        frame[f"c{j}"] = pd.Categorical.from_codes(codes, levels)
    return pd.DataFrame(frame)[list(rng.permutation(list(frame)))]


def signal(rng, frame):
    score = np.zeros(len(frame))
    for name in frame:
        column = frame[name]
        x = column.cat.codes.to_numpy() * 7 % 11 if column.dtype.name == "category" else np.sign(column.fillna(1)) * np.log1p(np.abs(column.fillna(1)))
        score += rng.normal() * np.asarray(x, dtype=float)
    return (score - score.mean()) / (score.std() + 1e-9) + 0.3 * rng.normal(size=len(frame))


class Database:
    def __init__(self):
        self.connection = psycopg2.connect(dbname="postgres")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("SET search_path = public, pgfit; SET client_min_messages = warning")

    def rows(self, statement, *arguments):
        self.cursor.execute(statement, arguments)
        return self.cursor.fetchall()

    def load(self, frame):
        columns = [f'"{name}" ' + ("text" if frame[name].dtype.name == "category" else "float8") for name in frame]
        self.cursor.execute("DROP TABLE IF EXISTS scored; CREATE TABLE scored (i int, " + ", ".join(columns) + ")")
        text = io.StringIO()
        for i, row in enumerate(frame.itertuples(index=False)):
            text.write("\t".join([str(i)] + ["\\N" if pd.isna(x) else x if isinstance(x, str) else repr(float(x)) for x in row]) + "\n")
        text.seek(0)
        self.cursor.copy_expert("COPY scored FROM STDIN", text)

    def scores(self, classes, where="true"):
        """Scores before the link: of a regression with another link, those of the same model without it."""
        if classes:
            statement = "SELECT decisions(m, f) FROM model, scored s, LATERAL (SELECT s.*) f WHERE " + where + " ORDER BY s.i"
        else:
            self.cursor.execute("""UPDATE model SET m = regexp_replace(m::text, '"link":{"i64":.[12].}', '"link":{"i64":[0]}')::pgfit.model""")
            statement = "SELECT ARRAY[predict(m, f)] FROM model, scored s, LATERAL (SELECT s.*) f WHERE " + where + " ORDER BY s.i"
        return np.array([row[0] for row in self.rows(statement)])
