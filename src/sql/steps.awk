# steps.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of the steps in steps.tsv. A step is
# one iteration of a method, from a model, over rows that are not kept; its state is the model with sums added to it.
#
#     (arguments, model [, weight])
BEGIN {
    FS = "\t"
    print "-- generated from steps.tsv by steps.awk: edit those\n"
    support_function("step_combine", "state pgfit.model, other pgfit.model", "pgfit.model", "pass_combine", 50, \
                     "Merges two states of a step. Fails outside an aggregate.")
    support_function("step_final", "state pgfit.model", "pgfit.model", "pass_final", 500, \
                     "Returns the next model from a state of a step.")
}

/^#/ || NF == 0 { next }

NF != 3 { wrong("expected 3 columns, found " NF) }

{
    name = $1; arguments = $2 ", model pgfit.model"; help = $3
    gsub(/'/, "''", help)
    form(arguments)
    form(arguments ", weight float8")
}

function form(arguments)
{
    support_function(name "_step", "state pgfit.model, " arguments, "pgfit.model", "pass_step", 20, \
                     "Adds a row to a state of " name ". Fails outside an aggregate.")
    printf "CREATE AGGREGATE pgfit_textbook.%s(%s) (\n", name, arguments
    printf "    SFUNC = pgfit_internal.%s_step, STYPE = pgfit.model, SSPACE = 32768,\n", name
    printf "    FINALFUNC = pgfit_internal.step_final, FINALFUNC_MODIFY = READ_ONLY,\n"
    printf "    COMBINEFUNC = pgfit_internal.step_combine, PARALLEL = SAFE);\n"
    aggregate_comment("pgfit_textbook." name, arguments, help)
}
