# metrics.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of the metrics in metrics.tsv:
#
#     (arguments [, weight])                      of a metric without options
#     (arguments [, options [, weight]])          of one with options, as estimators have them
#
# Metrics of one step share it, and so the state of a query that asks for several of them.
BEGIN {
    FS = "\t"
    print "-- generated from metrics.tsv by metrics.awk: edit those\n"
}

/^#/ || NF == 0 { next }

NF != 7 { print "metrics.tsv:" NR ": 7 columns wanted, " NF " found" > "/dev/stderr"; exit 1 }

{
    name = $1; step = $2; arguments = $3; options = $4 == "yes"; merges = $5 == "yes"; result = $6; help = $7
    gsub(/'/, "''", help)
    if (!(name in finals)) {
        finals[name] = 1
        c_function(name "_final", "state internal", result, name "_final", 500, \
                   "Support function of " name ": the result of a state.")
    }
    if (merges && !(step in merged)) {
        merged[step] = 1
        c_function(step "_merge", "state internal, other internal", "internal", step "_merge", 100, \
                   "Support function of metrics: puts two states together. Fails outside an aggregate.")
        strict = " STRICT"
        c_function(step "_send", "state internal", "bytea", step "_send", 100, \
                   "Support function of metrics: a state on its way from a parallel worker.")
        c_function(step "_receive", "bytes bytea, unused internal", "internal", step "_receive", 100, \
                   "Support function of metrics: a state that a parallel worker sent.")
        strict = ""
    }
    form(arguments)
    if (options)
        form(arguments ", options jsonb")
    form(arguments (options ? ", options jsonb" : "") ", weight float8")
}

function form(arguments)
{
    if (!((step, types(arguments)) in stepped)) {
        stepped[step, types(arguments)] = 1
        c_function(step "_step", "state internal, " arguments, "internal", step "_step", 2, \
                   "Support function of metrics: takes a row into the state. Fails outside an aggregate.")
    }
    printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
    printf "    SFUNC = pgfit.%s_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit.%s_final,\n", step, name
    if (merges)
        printf "    COMBINEFUNC = pgfit.%s_merge, SERIALFUNC = pgfit.%s_send, DESERIALFUNC = pgfit.%s_receive,\n", step, step, step
    printf "    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);\n"
    aggregate_comment(name, arguments, help)
}
