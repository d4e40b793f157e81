/*
 * source.c - reads the source of a fit. Its text is parsed before it becomes part of a query, so that a query in parentheses is the one
 * that was passed, whatever is in it.
 */
#include "pg/operations/source.h"
#include "pg/server/trusted_functions.h"
#include "core/options/options.h"

#include <ctype.h>

#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parse_coerce.h"
#include "parser/parser.h"
#include "parser/parse_type.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#define SOURCE_HINT "Pass the name of a table or view, or one query: SELECT, VALUES, TABLE or WITH ... SELECT."

/* ---- the text ---- */

static void __attribute__((noreturn)) fail_source(const char *problem)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the source %s", problem),
                    errhint(SOURCE_HINT)));
}

/* Returns the names of a qualified name, or NIL where the text is none. */
static List *name_parts(const char *text)
{
    List *parts, *names = NIL;
    ListCell *cell;

    if (!SplitIdentifierString(pstrdup(text), '.', &parts))
        return NIL;
    foreach (cell, parts)
        names = lappend(names, makeString(pstrdup(lfirst(cell))));
    return names;
}

/* Shows the place of a syntax error in the source, rather than in the statement that passes it. */
static void locate_error(void *text)
{
    int position = geterrposition();

    if (position > 0) {
        errposition(0);
        internalerrposition(position);
        internalerrquery(text);
    }
    errhint(SOURCE_HINT);
}

/* Returns a query in parentheses, without the semicolon that may end it. */
static char *query_in_parentheses(const char *text)
{
    ErrorContextCallback locate = {.callback = locate_error, .arg = unconstify(char *, text), .previous = error_context_stack};
    List *statements;
    const SelectStmt *select;
    RawStmt *raw;

    error_context_stack = &locate;
    statements = raw_parser(text, RAW_PARSE_DEFAULT);
    error_context_stack = locate.previous;
    raw = list_length(statements) == 1 ? linitial(statements) : NULL;
    select = raw != NULL && IsA(raw->stmt, SelectStmt) ? (SelectStmt *)raw->stmt : NULL;
    if (statements == NIL)
        fail_source("is empty");
    if (select == NULL)
        fail_source(raw != NULL ? "is not a query that returns rows" : "has several statements");
    if (select->intoClause != NULL)
        fail_source("has INTO");
    /* a line end, because the query may end with a comment */
    return raw->stmt_len > 0 ? psprintf("(%.*s\n)", raw->stmt_len, text + raw->stmt_location)
                             : psprintf("(%s\n)", text + raw->stmt_location);
}

/* ---- its columns ---- */

static bool has_column(TupleDesc columns, const char *name)
{
    for (int i = 0; i < columns->natts; i++)
        if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0)
            return true;
    return false;
}

/* Tells whether only the current user and superusers can make casts from a type, so that queries may write one. Domains have the casts of their base type. */
static bool casts_are_trusted(Oid type)
{
    return is_trusted_type(getBaseType(type));
}

/* Fails if a cast that the queries may write or cause, to text, to a number or to json, runs what the current user does not trust. */
static void require_trusted_casts(Oid type)
{
    static const Oid targets[] = {TEXTOID, FLOAT8OID, JSONOID};

    if (!casts_are_trusted(type))
        return; /* the queries write none */
    for (size_t i = 0; i < lengthof(targets); i++) {
        Oid function = InvalidOid;

        if (find_coercion_pathway(targets[i], type, COERCION_EXPLICIT, &function) == COERCION_PATH_FUNC && OidIsValid(function))
            require_trusted_function(function, psprintf("the function of the cast to %s,", format_type_be(targets[i])), false);
    }
}

/* Completes a source by its columns, which PostgreSQL tells without running the query. */
static Source *source_of_item(const char *from)
{
    Source *source = palloc0(sizeof(Source));
    SPIPlanPtr plan = SPI_prepare(psprintf("SELECT * FROM %s AS d", from), 0, NULL);
    const CachedPlanSource *cached;

    if (plan == NULL)
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    cached = linitial(SPI_plan_get_plan_sources(plan));
    source->from = from;
    source->columns = CreateTupleDescCopy(cached->resultDesc);
    for (int i = 0; i < source->columns->natts; i++)
        require_trusted_casts(TupleDescAttr(source->columns, i)->atttypid);
    source->alias = "d";
    for (int i = 1; has_column(source->columns, source->alias); i++)
        source->alias = psprintf("d%d", i);
    SPI_freeplan(plan);
    return source;
}

static Source *source_of_relation(Oid relation)
{
    char *name = get_rel_name(relation);
    Source *source;

    if (name == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("there is no relation with OID %u", relation)));
    source = source_of_item(quote_qualified_identifier(get_namespace_name_or_temp(get_rel_namespace(relation)), name));
    source->relation = relation;
    require_trusted_casts(get_rel_type_id(relation));
    return source;
}

/* Adds the tables that a query reads to a list of their OIDs, as text. */
static bool list_tables(Node *node, void *tables)
{
    if (node == NULL)
        return false;
    if (IsA(node, RangeTblEntry)) {
        const RangeTblEntry *table = (const RangeTblEntry *)node;

        if (table->rtekind == RTE_RELATION)
            appendStringInfo(tables, ", %u", table->relid);
        return false;
    }
    if (IsA(node, Query))
        return query_tree_walker((Query *)node, list_tables, tables, QTW_EXAMINE_RTES_BEFORE);
    return expression_tree_walker(node, list_tables, tables);
}

bool source_is_distributed(const Source *source)
{
    SPIPlanPtr plan;
    StringInfoData tables;
    ListCell *cell;

    if (!OidIsValid(get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE)))
        return false;
    plan = SPI_prepare(psprintf("SELECT * FROM %s AS d", source->from), 0, NULL);
    if (plan == NULL)
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    initStringInfo(&tables);
    foreach (cell, ((CachedPlanSource *)linitial(SPI_plan_get_plan_sources(plan)))->query_list)
        list_tables(lfirst(cell), &tables);
    SPI_freeplan(plan);
    if (tables.len == 0)
        return false;
    SPI_execute(psprintf("SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) ANY (ARRAY[%s]::pg_catalog.oid[]) AND "
                         "partmethod OPERATOR(pg_catalog.<>) 'n'",
                         tables.data + strlen(", ")),
                true, 1);
    return SPI_processed > 0;
}

Source *source_of_text(const char *text)
{
    List *names = name_parts(text);

    if (names != NIL)
        return source_of_relation(RangeVarGetRelid(makeRangeVarFromNameList(names), NoLock, false));
    return source_of_item(query_in_parentheses(text));
}

static void __attribute__((noreturn)) fail_column(const Source *source, const char *use, const char *name)
{
    TupleDesc columns = source->columns;
    const char **names = palloc(sizeof(char *) * (columns->natts + 1));
    const char *nearest;
    StringInfoData list;

    initStringInfo(&list);
    for (int i = 0; i < columns->natts; i++) {
        names[i] = NameStr(TupleDescAttr(columns, i)->attname);
        appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    nearest = nearest_name(name, strlen(name), names, columns->natts);
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("the source has no column \"%s\" for the %s", name, use),
                    nearest != NULL ? errhint("Did you mean \"%s\"? Its columns are %s.", nearest, list.data)
                                    : errhint("Its columns are %s.", list.data)));
}

static int find_column(const Source *source, const char *name)
{
    for (int i = 0; i < source->columns->natts; i++)
        if (strcmp(NameStr(TupleDescAttr(source->columns, i)->attname), name) == 0)
            return i;
    return -1;
}

bool source_has_column(const Source *source, const char *name)
{
    return find_column(source, name) >= 0;
}

int source_column(const Source *source, const char *use, const char *name)
{
    int column = find_column(source, name);

    if (column < 0)
        fail_column(source, use, name);
    return column;
}

/* Returns the name inside quotes, of which doubled ones are its own; NULL: more than one name. */
static char *unquoted(const char *written, size_t length)
{
    char *name = palloc(length), *out = name, quote = written[0];

    for (size_t i = 1; i + 1 < length; i++) {
        if (written[i] == quote && (i + 2 >= length || written[++i] != quote))
            return NULL;
        *out++ = written[i];
    }
    *out = '\0';
    return name;
}

/* Returns a name in lower case, as formulas take it: letters of ASCII alone. */
static char *lower_case(const char *name)
{
    char *lower = pstrdup(name);

    for (char *c = lower; *c != '\0'; c++)
        *c = (char)pg_ascii_tolower((unsigned char)*c);
    return lower;
}

int source_column_written(const Source *source, const char *use, const char *written, size_t length)
{
    char *name = pnstrdup(written, length);
    bool plain = length > 0, quoted = length > 2 && (name[0] == '"' || name[0] == '`') && name[length - 1] == name[0];
    int column;

    for (size_t i = 0; i < length; i++)
        plain = plain && (isalnum((unsigned char)name[i]) || strchr("_$.", name[i]) != NULL || (name[i] & 0x80));
    if (quoted)
        name = unquoted(written, length);
    if (name == NULL || (!plain && !quoted))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the %s \"%s\" is not the name of a column", use, pnstrdup(written, length)),
                        name != NULL && find_column(source, name) >= 0
                            ? errhint("Put the name in double quotes: \"%s\".", name)
                            : errhint("Compute it in the source, as in 'SELECT ln(price) AS log_price, * FROM diamonds'.")));
    column = find_column(source, name);
    if (column < 0 && plain)
        column = find_column(source, lower_case(name));
    if (column < 0)
        fail_column(source, use, name);
    return column;
}

char *source_rows_sql(const Source *source, const char *line, const char *condition)
{
    const char *where = condition != NULL ? psprintf("%sWHERE %s", line, condition) : "";

    return psprintf("%sFROM %s AS %s%s", line, source->from, source->alias, where);
}

char *source_column_sql(const Source *source, int column)
{
    return psprintf("%s.%s", source->alias, quote_identifier(NameStr(TupleDescAttr(source->columns, column)->attname)));
}

char *source_text_sql(const char *value, Oid type)
{
    if (casts_are_trusted(type))
        return psprintf("%s::pg_catalog.text", value);
    return psprintf("CASE WHEN %s IS DISTINCT FROM NULL THEN pg_catalog.concat(%s) END", value, value);
}

char *source_label_sql(const char *value, Oid type)
{
    switch (getBaseType(type)) {
        case BOOLOID:
        case BPCHAROID:
        case CHAROID:
        case INT2OID:
        case INT4OID:
        case INT8OID:
        case NAMEOID:
        case TEXTOID:
        case UUIDOID:
        case VARCHAROID:
            return source_text_sql(value, type);
        case NUMERICOID:
            return source_text_sql(psprintf("pg_catalog.trim_scale(%s)", value), NUMERICOID);
        default:
            if (type_is_enum(getBaseType(type)))
                return source_text_sql(value, type);
            return psprintf("(SELECT (c[1]).label FROM (SELECT pgfit.confusion_matrix(u.y, u.y) FROM (VALUES (%s)) AS u(y)) AS m(c))", value);
    }
}

static bool is_number(Oid type)
{
    char category;
    bool preferred;

    get_type_category_preferred(type, &category, &preferred);
    return category == TYPCATEGORY_NUMERIC && casts_are_trusted(type);
}

char *source_number_sql(const Source *source, const char *use, int column)
{
    bool boolean = getBaseType(TupleDescAttr(source->columns, column)->atttypid) == BOOLOID;

    if (!boolean)
        source_require_number(source, use, column);
    return psprintf("%s%s::pg_catalog.float8", source_column_sql(source, column), boolean ? "::pg_catalog.int4" : "");
}

char *source_numbers_sql(const Source *source, const char *use, int column)
{
    Form_pg_attribute attribute = TupleDescAttr(source->columns, column);
    const char *sql = source_column_sql(source, column);
    Oid element = get_base_element_type(attribute->atttypid), single = getBaseType(attribute->atttypid);

    if (single == BOOLOID || is_number(single)) /* an array of one, as the fit takes it */
        return psprintf("CASE WHEN %s IS NOT NULL THEN ARRAY[%s] END", sql, source_number_sql(source, use, column));
    element = OidIsValid(element) ? getBaseType(element) : InvalidOid;
    if (!OidIsValid(element) || (element != BOOLOID && !is_number(element)))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the %s \"%s\" has type %s, not an array of numbers", use, NameStr(attribute->attname), format_type_be(attribute->atttypid))));
    return psprintf("CASE WHEN pg_catalog.array_position(%s, NULL) IS NULL THEN %s%s::pg_catalog.float8[] END", sql, sql,
                    element == BOOLOID ? "::pg_catalog.int4[]" : "");
}

char *source_cast(const Source *source, int column, const char *sql)
{
    Form_pg_attribute attribute = TupleDescAttr(source->columns, column);
    int32 modifier = attribute->atttypmod;
    Oid type = getBaseTypeAndTypmod(attribute->atttypid, &modifier); /* a domain's checks are none of the reader's business */

    return psprintf("%s::%s", sql, format_type_extended(type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

char *source_literal(const Source *source, int column, const char *value)
{
    return source_cast(source, column, quote_literal_cstr(value));
}

void source_require_number(const Source *source, const char *use, int column)
{
    Form_pg_attribute attribute = TupleDescAttr(source->columns, column);
    bool targets = strcmp(use, "target") == 0 && OidIsValid(get_base_element_type(attribute->atttypid));

    if (!is_number(attribute->atttypid))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the %s \"%s\" has type %s, not a number", use, NameStr(attribute->attname),
                               format_type_be(attribute->atttypid)),
                        targets ? errhint("multivariate_regression takes an array of targets.") : 0));
}

char *both_conditions(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? pstrdup(a) : b != NULL ? pstrdup(b) : NULL;
    return psprintf("%s AND %s", a, b);
}
