# sql.awk - what the generators of SQL declarations share; read before each of them.

# the types in a list of named arguments
function types(arguments,    list, count, i, all, part)
{
    count = split(arguments, list, ", ")
    all = ""
    for (i = 1; i <= count; i++) {
        part = list[i]
        sub(/^[a-z_]+ /, "", part)
        all = all (i > 1 ? ", " : "") part
    }
    return all
}

# A function of schema pgfit_internal. Several share a C symbol, which finds the aggregate by the function's name.
# strict, a global, is "" or " STRICT".
function support_function(name, arguments, result, symbol, cost, comment)
{
    printf "CREATE FUNCTION pgfit_internal.%s(%s) RETURNS %s\n", name, arguments, result
    printf "AS 'MODULE_PATHNAME', 'pgfit_%s' LANGUAGE C IMMUTABLE%s PARALLEL SAFE COST %d;\n", symbol, strict, cost
    printf "COMMENT ON FUNCTION pgfit_internal.%s(%s) IS '%s';\n\n", name, types(arguments), comment
}

function aggregate_comment(name, arguments, comment)
{
    printf "COMMENT ON AGGREGATE %s(%s) IS '%s';\n\n", name, types(arguments), \
           comment (arguments ~ /weight/ ? " Rows count by weight." : "")
}

function wrong(message)
{
    print FILENAME ":" FNR ": " message > "/dev/stderr"
    failed = 1
    exit 1
}
