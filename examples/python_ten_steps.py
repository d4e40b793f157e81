"""Ten steps with pgfit from Python, over the example tables (psql -f examples/load.sql). PGHOST, PGDATABASE and the like name the server."""

import pickle

import numpy as np

import pgfit

np.set_printoptions(precision=3, suppress=True)
db = pgfit.connect()

print("1. A model of a table: nothing leaves the database")
price = pgfit.LinearRegression(db).fit("diamonds", "price ~ carat + cut")
for row in price.coefficients():
    print(f"   {row.term:15} {row.estimate:9.1f} {row.std_error:6.1f}")

print("2. Score it there: R squared, and predictions for the rows of a query")
print(f"   {price.score('diamonds'):.3f}", price.predict("SELECT * FROM diamonds WHERE id <= 3 ORDER BY id").round())

print("3. Why that price?")
for row in price.explain("SELECT * FROM diamonds WHERE id = 1"):
    print(f"   {row.term:15} {row.contribution:9.1f}")

print("4. A frame: columns by name, with categories and missing ages")
passengers = db.query("SELECT sex, age, fare, class, alive FROM titanic ORDER BY id").frame()
X, y = passengers.drop(columns="alive"), passengers["alive"]
alive = pgfit.LogisticRegression(db, nulls="impute").fit(X, y)
print("  ", alive.classes_, alive.predict(X)[:4], f"{alive.score(X, y):.3f}")

print("5. The model knows its columns: it scores the table itself")
print(f"   {alive.score('titanic'):.3f}")

print("6. Arrays, and clusters that count from 0")
points = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [5, 0], [5, 1]])
clusters = pgfit.Kmeans(db, k=3).fit(points)
print("   sizes", np.bincount(clusters.labels_), "centers", sorted(clusters.cluster_centers_.tolist()))

print("7. A pipeline inside the database")
species = pgfit.KnnClassifier(db, k=9).fit("penguins", "species ~ bill_length_mm + body_mass_g", prepare=["standard_scaler"])
print(f"   {species.score('penguins', 'species'):.3f}")

print("8. In scikit-learn's tools")
from sklearn.model_selection import GridSearchCV  # noqa: E402

numbers = passengers[["age", "fare"]].dropna()
search = GridSearchCV(pgfit.RidgeRegression(db), {"lambda_": [0.1, 1e6]}, cv=3).fit(numbers[["age"]], numbers["fare"])
print("  ", search.best_params_)

print("9. Versions under a name")
for lambda_ in (1e6, 0.1):
    version = db.train("price", pgfit.RidgeRegression(lambda_=lambda_), "diamonds", "price ~ carat", holdout={"key": "id"}, refit=False)
    print(f"   version {version.version}: rmse {version.metrics['rmse']:.0f}, serves: {version.active}")
print("  ", db.get("price", 1), db.get("price"))
db.drop("price")

print("10. A model is a value: pickle it, or write its score as SQL")
print("  ", (pickle.loads(pickle.dumps(alive)).predict(X) == alive.predict(X)).all(), pgfit.LinearRegression(db).fit(
    "diamonds", "price ~ carat").sql.replace("\n", " ")[:46], "...")
