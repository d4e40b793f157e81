# overloads.awk - writes CREATE FUNCTION, CREATE AGGREGATE and COMMENT ON for every form of every
# aggregate in overloads.tsv. The list of forms must be complete from the first release on: one added
# later makes calls that worked ambiguous.
#
#     ([first,] features [, options [, weight]])              without numbers
#     ([first,] features, numbers [, options [, weight]])     with, and then also
#     ([first,] features, options [, weight])
#     (moments [, options]), (moments, numbers [, options]) from stored moments
BEGIN {
    FS = "\t"
    print "-- generated from overloads.tsv by overloads.awk: edit those\n"
}

/^#/ || NF == 0 { next }

NF != 5 { print "overloads.tsv:" NR ": 5 columns wanted, " NF " found" > "/dev/stderr"; exit 1 }

{
    name = $1; moments = $2; first = $3; numbers = $4; help = $5
    gsub(/'/, "''", help)
    rows = moments == "rows"
    leading = (first == "-" ? "" : first " \"any\", ") "features \"any\""
    final_function()
    if (numbers == "-") {
        form(leading, "", 0)
        form(leading ", options jsonb", "", 0)
        form(leading ", options jsonb, weight float8", "", 0)
    } else {
        form(leading ", options jsonb", "", 0)
        form(leading ", options jsonb, weight float8", "", 0)
        form(leading ", " numbers, "number_", 0)
        form(leading ", " numbers ", options jsonb", "number_", 0)
        form(leading ", " numbers ", options jsonb, weight float8", "number_", 0)
    }
    if (rows)
        next
    if (name == moments) {
        form("moments pgfit.model", "", 1)
        next
    }
    if (numbers == "-") {
        form("moments pgfit.model", "", 1)
        form("moments pgfit.model, options jsonb", "", 1)
    } else {
        form("moments pgfit.model, options jsonb", "", 1)
        form("moments pgfit.model, " numbers, "number_", 1)
        form("moments pgfit.model, " numbers ", options jsonb", "number_", 1)
    }
}

function final_function()
{
    if (rows) {
        c_function(name "_rows_final", "state internal", "pgfit.model", name "_rows_final", 1000, \
                   "Support function of " name ": the model of the rows gathered.")
        return
    }
    c_function(name "_final", "state pgfit.model", "pgfit.model", name "_final", \
               name == moments ? 20 : 500, \
               "Support function of " name ": the result of a state.")
    c_function(name "_window_final", "state internal", "pgfit.model", name "_window_final", \
               name == moments ? 20 : 500, \
               "Support function of " name " in windows: the result of a frame.")
}

# the function that takes the oldest row out of a frame serves all aggregates of the same arguments
function window_drop(arguments)
{
    arguments = types(arguments)
    if (arguments in dropped)
        return
    dropped[arguments] = 1
    c_function("window_drop", "internal, " arguments, "internal", "window_drop", 10, \
               "Support function of aggregates in windows: takes the oldest row out of a frame.")
}

# which: "" or "number_", the C symbol's middle
function form(arguments, which, from_moments,    step, window, comment, plain)
{
    comment = help
    if (from_moments)
        comment = comment (name == moments ? " Merged from stored moments." \
                                            : " Fitted from stored moments (" moments ").")
    if (rows) {
        step = name "_rows_step"
        c_function(step, "state internal, " arguments, "internal", name "_rows_" which "step", 10, \
                   "Support function of " name ": keeps a row.")
        printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
        printf "    SFUNC = pgfit.%s, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit.%s_rows_final,\n", step, name
        printf "    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);\n"
    } else {
        step = name "_step"
        window = name "_window_step"
        plain = (from_moments ? "moments_" : "") which "step"
        c_function(step, "state pgfit.model, " arguments, "pgfit.model", name "_" plain, 10, \
                   "Support function of " name ": takes " (from_moments ? "moments" : "a row") " into the state. Fails outside an aggregate.")
        c_function(window, "state internal, " arguments, "internal", name "_window_" plain, 20, \
                   "Support function of " name " in windows: takes " (from_moments ? "moments" : "a row") " into a frame.")
        window_drop(arguments)
        printf "CREATE AGGREGATE pgfit.%s(%s) (\n", name, arguments
        printf "    SFUNC = pgfit.%s, STYPE = pgfit.model, SSPACE = 1024, FINALFUNC = pgfit.%s_final,\n", step, name
        printf "    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.merge, PARALLEL = SAFE,\n"
        printf "    MSFUNC = pgfit.%s, MINVFUNC = pgfit.window_drop, MSTYPE = internal, MSSPACE = 16384,\n", window
        printf "    MFINALFUNC = pgfit.%s_window_final, MFINALFUNC_MODIFY = READ_ONLY);\n", name
    }
    aggregate_comment(name, arguments, comment)
}
