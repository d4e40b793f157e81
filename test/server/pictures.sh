#!/bin/bash
# Pictures are well-formed XML that stands alone, of elements of SVG alone, with a title and a description, and have the same bytes in every session; specifications of
# Vega-Lite are JSON. Labels of the data are text wherever they go, and no label of an axis touches the next one.
. "$(dirname "$0")/lib.sh"

fresh_database pgfit_pictures || exit 1
sql "CREATE TABLE cars AS SELECT i AS id, CASE i % 3 WHEN 0 THEN '<script>x</script>' WHEN 1 THEN 'a&b \"c\" '']]>' ELSE E'\u00e4\u00e4 \t\u0001 long name of a class that goes on and on' END AS kind,
            10 + i % 23 + sin(i) AS \"miles & <gallon>\", 100.0 + i * 37 % 401 AS weight, 50.0 + i * 91 % 203 AS power FROM generate_series(1, 300) AS i;
     CREATE TABLE models AS SELECT pgfit.tree_classifier(kind, c, '{\"features\": [\"miles & <gallon>\", \"weight\", \"power\"], \"min_samples_leaf\": 2}') AS tree,
            pgfit.forest_classifier(kind, c, '{\"features\": [\"miles & <gallon>\", \"weight\", \"power\"], \"n_trees\": 3}') AS forest,
            pgfit.hierarchical(kind || id, c, '{\"features\": [\"weight\", \"power\"]}') AS dendrogram,
            pgfit.logistic_regression(kind, c, '{\"features\": [\"miles & <gallon>\", \"weight\", \"power\"], \"lambda\": 1}') AS logistic,
            pgfit.lasso_regression(weight, c, '{\"features\": [\"miles & <gallon>\", \"power\"], \"lambda\": \"cv\"}') AS lasso,
            pgfit.pca(c, '{\"features\": [\"miles & <gallon>\", \"weight\", \"power\"]}') AS pca,
            pgfit.kmeans(c, '{\"features\": [\"weight\", \"power\"], \"k\": [1, 6]}') AS kmeans,
            pgfit.qda(kind, c, '{\"features\": [\"weight\", \"power\"]}') AS qda FROM cars AS c" || exit 1

# one call a line; OPTIONS stands for the options
calls=$(cat <<'QUERIES'
pgfit.plot(tree, 'tree', OPTIONS) FROM models
pgfit.plot(forest, 'importance', OPTIONS) FROM models
pgfit.plot(dendrogram, NULL, OPTIONS) FROM models
pgfit.plot(logistic, NULL, OPTIONS) FROM models
pgfit.plot(lasso, 'path', OPTIONS) FROM models
pgfit.plot(lasso, 'lambda', OPTIONS) FROM models
pgfit.plot(pca, 'scree', OPTIONS) FROM models
pgfit.plot(pca, 'loadings', OPTIONS) FROM models
pgfit.plot(kmeans, NULL, OPTIONS) FROM models
pgfit.plot(pgfit.roc_curve(id % 2, power), OPTIONS) FROM cars
pgfit.plot(pgfit.precision_recall_curve(id % 2, power), OPTIONS) FROM cars
pgfit.plot(pgfit.calibration_curve(id % 2, power / 300), OPTIONS) FROM cars
pgfit.plot(pgfit.confusion_matrix(kind, pgfit.classify(tree, c)), OPTIONS) FROM cars AS c, models
pgfit.plot(pgfit.score_histogram(kind, power), OPTIONS) FROM cars
pgfit.plot(pgfit.gain_curve(id % 2, power), OPTIONS) FROM cars
pgfit.plot(pgfit.silhouettes(kind, (weight, power)), OPTIONS) FROM cars
pgfit.plot(pgfit.kaplan_meier(weight, id % 2 = 0), OPTIONS) FROM cars
pgfit.plot(g, OPTIONS) FROM models, pgfit.decision_grid(qda, 'weight', 'power', 10) AS g
pgfit.plot(e, OPTIONS) FROM models, pgfit.ellipses(qda) AS e
pgfit.plot(d, OPTIONS) FROM models, pgfit.partial_dependence(logistic, 'cars', 'weight') AS d
pgfit.plot(e, OPTIONS) FROM models, (SELECT * FROM cars LIMIT 1) AS c, pgfit.explain(logistic, c) AS e
pgfit.plot(a, OPTIONS) FROM models, pgfit.augment(lasso, 'cars', '{"target": "weight"}') AS a
pgfit.plot(c, OPTIONS || '{"x": "miles & <gallon>", "y": "weight", "color": "kind", "label": "kind"}') FROM cars AS c
pgfit.plot(c, OPTIONS || '{"x": "kind", "y": ["weight", "power"], "mark": "bar"}') FROM cars AS c WHERE id <= 9
pgfit.plot(lasso, c, OPTIONS || '{"y": "weight", "color": "kind", "label": "kind"}') FROM cars AS c, models
pgfit.plot(qda, c, OPTIONS || '{"color": "kind"}') FROM cars AS c, models
pgfit.plot(pca, c, OPTIONS || '{"color": "kind"}') FROM cars AS c, models
QUERIES
)
folder=$(mktemp -d)
number=0
while IFS= read -r call; do
    number=$((number + 1))
    for form in svg vega; do
        query="SELECT ${call//OPTIONS/\'{\"as\": \"$form\"\}\'::jsonb}"
        sql "$query" > "$folder/$number.$form" 2> "$folder/$number.error" || sed "s/^/$number: /" "$folder/$number.error"
        [ "$form" = vega ] || PGOPTIONS='-c lc_numeric=C -c extra_float_digits=0 -c datestyle=german -c timezone=Asia/Tokyo' sql "$query" | cmp -s - "$folder/$number.$form" || echo "$number: other bytes in another session"
    done
done <<< "$calls" > "$folder/complaints"
is "$(cat "$folder/complaints")" '' 'every figure is drawn, with the same bytes in every session'

is "$("${PYTHON:-/usr/bin/python3}" - "$folder" <<'PY'
import glob, json, re, sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
for path in sorted(glob.glob(sys.argv[1] + "/*.svg")):
    name = path.rsplit("/", 1)[1]
    text = open(path, encoding="utf-8").read()
    try:
        root = tree.fromstring(text)
    except tree.ParseError as error:
        print(name, error)
        continue
    others = {e.tag for e in root.iter()} - {SVG + t for t in "svg title desc style rect path text g".split()}
    if others:
        print(name, "has", others)
    if root.get("role") != "img" or not root.get("aria-label") or not root.findtext(SVG + "title") or not root.findtext(SVG + "desc"):
        print(name, "has no role, title or description")
    attributes = {a for e in root.iter() for a in e.attrib}
    if any(a.startswith("on") or "href" in a or a == "style" for a in attributes):
        print(name, "has attributes", attributes)
    if re.search(r"url\(|@import|https?:", text.replace("http://www.w3.org/2000/svg", "")):
        print(name, "refers to something else")
    if "nan" in re.sub(r"<(title|desc|text)[^>]*>.*?</\1>", "", text) or re.search(r'"-?inf', text):
        print(name, "has a place that is no number")
    width, height = float(root.get("width")), float(root.get("height"))
    for e in root.iter(SVG + "text"):
        if not (0 <= float(e.get("x")) <= width and 0 <= float(e.get("y")) <= height):
            print(name, "has a text outside:", e.text)
for path in sorted(glob.glob(sys.argv[1] + "/*.vega")):
    spec = json.load(open(path, encoding="utf-8"))
    for panel in spec["concat"]:
        for layer in panel["layer"]:
            for item in layer["data"]["values"]:
                if not all(isinstance(item[k], (int, float)) for k in "xy"):
                    print(path, item)
PY
)" '' 'pictures are XML of SVG alone, with title and description, and specifications are JSON'
rm -rf "$folder"
