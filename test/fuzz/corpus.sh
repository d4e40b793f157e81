#!/bin/sh
# usage: test/fuzz/corpus.sh SEEDS   makes build/fuzz/corpus, a folder for each fuzzer: what SEEDS writes (seeds.c), and documents of sql/
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/fuzz
rm -rf build/fuzz/corpus
"$1" build/fuzz/corpus || exit 1
for format in onnx xgboost; do # the documents of the tests
    mkdir -p "build/fuzz/corpus/$format"
    seed=0
    sed -n "s/^INSERT INTO ${format}_documents VALUES (.*decode('\([^']*\)'.*/\1/p" "sql/${format}_models.sql" |
        while read -r document; do
            seed=$((seed + 1))
            echo "$document" | base64 -d >"build/fuzz/corpus/$format/$seed"
        done
    [ -s "build/fuzz/corpus/$format/1" ] || { echo "fuzz: sql/${format}_models.sql has no documents" && exit 1; }
done
mkdir -p build/fuzz/corpus/lightgbm
# each of them as text, from the line of its name to that of the dump, and as a dump
awk -v folder=build/fuzz/corpus/lightgbm "
    /^INSERT INTO lightgbm_documents / { seed++; text = folder \"/text_\" seed; sub(/.*', '/, \"\") }
    text && /^', '/ { dump = folder \"/dump_\" seed; sub(/^', '/, \"\"); sub(/', '.*/, \"\"); printf \"%s\", \$0 >dump; close(text); close(dump); text = \"\" }
    text { print >text }" sql/lightgbm_models.sql
[ -s build/fuzz/corpus/lightgbm/dump_1 ] || { echo "fuzz: sql/lightgbm_models.sql has no documents" && exit 1; }
