# steps.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of the passes in steps.tsv: one
# iteration of a method over rows that are kept nowhere, from a model, whose state is the model and sums.
#
#     (arguments, model [, weight])
BEGIN {
    FS = "\t"
    print "-- generated from steps.tsv by steps.awk: edit those\n"
}

/^#/ || NF == 0 { next }

NF != 3 { print "steps.tsv:" NR ": 3 columns wanted, " NF " found" > "/dev/stderr"; exit 1 }

{
    name = $1; arguments = $2 ", model pgfit.model"; help = $3
    gsub(/'/, "''", help)
    c_function(name "_combine", "state pgfit.model, other pgfit.model", "pgfit.model", name "_combine", 50, \
               "Support function of " name ": the sums of two states. Fails outside an aggregate.")
    c_function(name "_final", "state pgfit.model", "pgfit.model", name "_final", 500, \
               "Support function of " name ": the next model.")
    form(arguments)
    form(arguments ", weight float8")
}

function form(arguments)
{
    c_function(name "_step", "state pgfit.model, " arguments, "pgfit.model", name "_step", 20, \
               "Support function of " name ": takes a row into the state. Fails outside an aggregate.")
    printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
    printf "    SFUNC = pgfit.%s_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.%s_final,\n", name, name
    printf "    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.%s_combine, PARALLEL = SAFE);\n", name
    aggregate_comment(name, arguments, help)
}
