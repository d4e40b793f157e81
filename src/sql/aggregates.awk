# aggregates.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of every aggregate in
# aggregates.tsv. The list of forms must be complete from the first release on: one added later makes calls that worked
# ambiguous.
#
#     ([first,] features [, options [, weight]])                  without numbers
#     ([first,] features, numbers [, options [, weight]])         with numbers, and then also
#     ([first,] features, options [, weight])
#     ([first,] features)                                         if the numbers have defaults: a "?" after the last
#
# Options are of type pgfit.call_options, to which jsonb, text and untyped literals are cast.
#
# An estimator's description is .help of its descriptor, which the C sources given before the table hold.
#
# Also writes pgfit_internal.examples(), which help() shows: a call of each aggregate over rows that need no table, and a test runs them all.
BEGIN {
    FS = "\t"
    print "-- generated from aggregates.tsv by aggregates.awk: edit those\n"
}

# ---- C sources: help[NAME] from "const Estimator estimator_NAME = { ... .help = "..." "...", ... };" ----

FILENAME ~ /\.c$/ {
    if ($0 ~ /^const Estimator estimator_[a-z0-9_]+ = /) {
        descriptor = $0
        sub(/^const Estimator estimator_/, "", descriptor)
        sub(/ = .*/, "", descriptor)
        in_help = 0
    }
    if (descriptor == "")
        next
    if ($0 ~ /^};/) {
        descriptor = ""
        next
    }
    if ($0 ~ /^ *\.[a-z_]+ =/)
        in_help = $0 ~ /^ *\.help =/
    if (in_help)
        descriptions[descriptor] = descriptions[descriptor] strings($0)
    next
}

# the C string literals of a line, one after the other
function strings(line,    all)
{
    all = ""
    while (match(line, /"([^"\\]|\\.)*"/)) {
        all = all substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
    }
    gsub(/\\"/, "\"", all)
    return all
}

# ---- the table ----

/^#/ || NF == 0 { next }

NF != 4 && NF != 5 { wrong("expected 4 columns, or 5 for moments and examples, found " NF) }

{
    name = $1; moments = $2; first = $3; numbers = $4
    help = name == moments ? $5 : descriptions[name]
    if (help == "")
        wrong("no description of " name)
    gsub(/'/, "''", help)
    rows = moments == "rows"
    optional = sub(/\?$/, "", numbers) || numbers == "-"
    add_example(name == moments || NF < 5 ? usual_example() : $5)
    leading = (first == "-" ? "" : first " \"any\", ") "features \"any\""
    final_functions()
    if (optional)
        form(leading)
    options_forms(leading)
    if (numbers != "-") {
        form(leading ", " numbers)
        options_forms(leading ", " numbers)
    }
}

# the arguments that fit most: a number for each that is given as an argument, and a formula
function usual_example(    number)
{
    number = numbers == "-" ? "" : numbers ~ /^k / ? "3, " : numbers ~ /^lambda .*alpha / ? "1, 0.5, " : numbers ~ /^lambda / ? "1, " : wrong("no number for an example of " name)
    return (first == "target" ? "spent, " : first == "label" ? "churned, " : first == "id" ? "id, " : "") "c, " number \
           (first == "target" || first == "label" ? "'age + months + city'" : "'age + spent'")
}

function add_example(arguments)
{
    gsub(/'/, "''", arguments)
    examples = examples (examples == "" ? "" : ",\n") "    ('" name "', 'SELECT pgfit.summary(pgfit." name "(" arguments ")) FROM c;')"
}

END {
    if (failed)
        exit 1
    examples = examples ",\n    ('plot', 'SELECT pgfit.plot(c, ''{\"x\": \"age\", \"y\": \"spent\", \"color\": \"city\", \"as\": \"text\"}'') FROM c;')" \
               ",\n    ('report', 'SELECT pgfit.report(pgfit.linear_regression(spent, c, ''age + months + city'')) FROM c;')"
    print "CREATE FUNCTION pgfit_internal.examples(OUT name text, OUT rows text, OUT example text) RETURNS SETOF record"
    print "LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50 ROWS 80"
    print "BEGIN ATOMIC"
    print "SELECT name, 'WITH c AS (SELECT i AS id, age, months, (ARRAY[''Lyon'', ''Nice'', ''Paris''])[1 + age % 3] AS city, 1 + i % 3 + (i % 9) / 8 * 11 AS orders,"
    print "                  60.0 + age + 2 * months + 9 * sin(i * i) AS spent, 1 + age / 20 + i % 2 AS rating, months + i % 13 < 12 AS churned, sin(i) - months / 9.0 AS score"
    print "           FROM (SELECT i, 20 + i * 7 % 41 AS age, 1 + i * 5 % 24 AS months FROM generate_series(1, 200) AS i) AS customers)', example"
    print "FROM (VALUES"
    print examples
    print ") AS e(name, example);"
    print "END;"
    print "COMMENT ON FUNCTION pgfit_internal.examples() IS"
    print "'Returns for each aggregate that fits, for plot and for report the rows of an example and the call over them, which help() shows.';"
}

# the forms with options, and with options and weights
function options_forms(arguments)
{
    form(arguments ", options pgfit.call_options")
    form(arguments ", options pgfit.call_options, weight float8")
}

# the rows of an aggregate name their estimator, so that one final function serves all
function final_functions()
{
    if (!rows)
        support_function(name "_final", "state pgfit.model", "pgfit.model", "moments_final", \
                         name == moments ? 20 : 500, "Returns the result of " name " from a state.")
    else if (!rows_final++)
        support_function("rows_final", "state internal", "pgfit.model", "rows_final", 1000, \
                         "Returns the model of the rows that a state keeps.")
}

# the function that drops the oldest row of a frame serves all aggregates of as many arguments
function window_drop(arguments,    any)
{
    any = types(arguments)
    gsub(/[^, ]+/, "\"any\"", any)
    if (any in dropped)
        return
    dropped[any] = 1
    support_function("window_drop", "pgfit.model, " any, "pgfit.model", "window_drop", 10, \
                     "Drops the oldest row of a window frame.")
}

function form(arguments)
{
    if (rows) {
        support_function(name "_rows_step", "state internal, " arguments, "internal", "rows_step", 10, \
                         "Keeps a row for " name ". Fails outside an aggregate.")
        printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
        printf "    SFUNC = pgfit_internal.%s_rows_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit_internal.rows_final,\n", name
        printf "    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);\n"
    } else {
        support_function(name "_step", "state pgfit.model, " arguments, "pgfit.model", "moments_step", 10, \
                         "Adds a row to a state of " name ". Fails outside an aggregate.")
        window_drop(arguments)
        printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
        printf "    SFUNC = pgfit_internal.%s_step, STYPE = pgfit.model, SSPACE = 1024,\n", name
        printf "    FINALFUNC = pgfit_internal.%s_final, FINALFUNC_MODIFY = READ_ONLY,\n", name
        printf "    COMBINEFUNC = pgfit.merge, PARALLEL = SAFE,\n"
        printf "    MSFUNC = pgfit_internal.%s_step, MINVFUNC = pgfit_internal.window_drop, MSTYPE = pgfit.model, MSSPACE = 16384,\n", name
        printf "    MFINALFUNC = pgfit_internal.%s_final, MFINALFUNC_MODIFY = READ_ONLY);\n", name
    }
    aggregate_comment("pgfit." name, arguments, help)
}
