# sql.awk - what the generators of declarations share; read before one of them.

# the types of a list of named arguments
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

# strict, a global, is "" or " STRICT"
function c_function(sql_name, arguments, result, symbol, cost, comment)
{
    printf "CREATE FUNCTION pgfit.%s(%s) RETURNS %s\n", sql_name, arguments, result
    printf "AS 'MODULE_PATHNAME', 'pgfit_%s' LANGUAGE C IMMUTABLE%s PARALLEL SAFE COST %d;\n", symbol, strict, cost
    printf "COMMENT ON FUNCTION pgfit.%s(%s) IS '%s';\n\n", sql_name, types(arguments), comment
}

function aggregate_comment(name, arguments, comment)
{
    printf "COMMENT ON AGGREGATE pgfit.%s(%s) IS '%s';\n\n", name, types(arguments), \
           comment (arguments ~ /weight/ ? " Rows count by weight." : "")
}
