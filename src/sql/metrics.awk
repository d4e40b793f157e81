# metrics.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of the metrics in metrics.tsv:
#
#     (arguments [, weight])                      of a metric without options
#     (arguments [, options [, weight]])          of one with options, as estimators have them
#     (arguments [, options])                     of a statistical test of numbers
#     (arguments [, options [, strata]])          of one with strata
#
# A family has one C function for its steps and one for its final functions. Metrics with the same step share it, and so
# the state of a query that asks for several of them. States that parallel workers send know their kind, so that all merge in one function.
BEGIN {
    FS = "\t"
    print "-- generated from metrics.tsv by metrics.awk: edit those\n"
    kind["contingency"] = "contingency"
    kind["loss"] = kind["loss_classes"] = "loss" # losses of one probability and of one per class have the same state
    kind["rows"] = "rows_metric"
    kind["hypothesis"] = "hypothesis"
    kind["series"] = "hypothesis" # of numbers in an order, so that states do not merge; states know their test
    finals_of["hypothesis", "pgfit.test_result"] = "hypothesis_final"
    merges["contingency"] = merges["loss"] = merges["hypothesis"] = 1
    # those whose state is a float8[] that is changed in place, and how it begins
    kind["errors"] = kind["errors_targets"] = "errors" # of arrays: as many numbers for each target, from the first row on
    kind["mean"] = "mean"
    begins["errors"] = "{0,0,0,0,0,0,0,0,0,0,0,0,0}"
    begins["mean"] = "{0,0}"
    support_function("metric_merge", "state internal, other internal", "internal", "metric_merge", 100, \
                     "Merges two states of metrics. Fails outside an aggregate.")
    strict = " STRICT"
    support_function("metric_send", "state internal", "bytea", "metric_send", 100, \
                     "Writes the state of metrics in a parallel worker.")
    support_function("metric_receive", "bytes bytea, unused internal", "internal", "metric_receive", 100, \
                     "Reads the state of metrics that a parallel worker wrote.")
    strict = ""
}

/^#/ || NF == 0 { next }

NF != 7 { wrong("expected 7 columns, found " NF) }

!($2 in kind) { wrong("unknown family " $2) }

{
    name = $1; family = $2; step = $3; arguments = $4; options = $5 == "yes" || $5 == "strata"; result = $6; help = $7
    state = kind[family]
    ordered = family == "series"
    family = ordered ? state : family
    gsub(/'/, "''", help)
    type = state in begins ? "float8[]" : "internal"
    final = state == "mean" ? "mean_final" : (state, result) in finals_of ? finals_of[state, result] : name "_final"
    if (!(final in finals)) {
        finals[final] = 1
        strict = state in begins ? " STRICT" : ""
        support_function(final, "state " type, result, state "_final", state in begins ? 1 : 500, \
                         "Returns the result of " (state == "mean" ? "a mean over the rows" : final == name "_final" ? name : "a test") " from a state.")
        strict = ""
    }
    if (state in begins && !(state in merged)) {
        merged[state] = 1
        strict = " STRICT"
        support_function(state "_merge", "state float8[], other float8[]", "float8[]", state "_merge", 1, \
                         "Merges two states of metrics. Fails outside an aggregate.")
        strict = ""
    }
    form(arguments)
    if (options) {
        form(arguments ", options pgfit.call_options")
        if ($5 == "strata")
            form(arguments ", options pgfit.call_options, strata \"any\"")
        if (family != "hypothesis")
            form(arguments ", options pgfit.call_options, weight float8")
    } else {
        form(arguments ", weight float8")
    }
}

function form(arguments)
{
    if (!((step, types(arguments)) in stepped)) {
        stepped[step, types(arguments)] = 1
        support_function(step "_step", "state " type ", " arguments, type, (state == "mean" || state == "rows_metric" ? state : family) "_step", \
                         state in begins ? 1 : 2, "Adds a row to a state of metrics. Fails outside an aggregate.")
    }
    printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
    printf "    SFUNC = pgfit_internal.%s_step, STYPE = %s, SSPACE = %d,\n", step, type, state in begins ? 128 : 1024
    printf "    FINALFUNC = pgfit_internal.%s, FINALFUNC_MODIFY = READ_ONLY,\n", final
    if (state in begins)
        printf "    COMBINEFUNC = pgfit_internal.%s_merge, INITCOND = '%s',\n", state, begins[state]
    if (merges[state] && !ordered)
        printf "    COMBINEFUNC = pgfit_internal.metric_merge, SERIALFUNC = pgfit_internal.metric_send,\n    DESERIALFUNC = pgfit_internal.metric_receive,\n"
    printf "    PARALLEL = SAFE);\n"
    aggregate_comment("pgfit." name, arguments, help)
}
