/*
 * features_describe.c - describes the first row of a training set: its fields, their names, kinds and widths.
 */
#include "pg/features/features_internal.h"
#include "core/distance/metric.h"

#include "catalog/pg_type.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"

static void __attribute__((noreturn)) fail_empty(void)
{
    env_fail(host_env(), ERROR_DATA, NULL, "a row has no features");
}

/* Returns the number of elements of an array, possibly the result of a cast; 0 where the cast gives NULL. */
static uint32 describe_array(FeatureReader *reader, Datum datum, FieldKind *kind)
{
    const char *array = DatumGetPointer(datum);
    ArrayView view;
    SqlValueKind element;

    if (OidIsValid(reader->cast.function.fn_oid))
        array = cast_to_array(&reader->cast, array);
    if (!array)
        return 0;
    view = array_view(array, "the features are");
    element = array_element_kind(reader, view.element);
    if (view.copy)
        pfree(view.copy);
    if (view.count == 0)
        fail_empty();
    if (view.count > SCHEMA_MAX_SLOTS)
        env_fail(host_env(), ERROR_LIMIT, NULL, "%u features are more than the %u supported",
                 view.count, SCHEMA_MAX_SLOTS);
    *kind = sql_value_kind(element);
    return view.count;
}

/* Returns the names in option "features"; NULL where it is not given. */
static const char *const *option_names(const Options *options, uint32 *count)
{
    const char *const *names;

    *count = 0;
    if (!options || !options_given(options, "features"))
        return NULL;
    names = options_strings(options, "features", count);
    if (*count == 0)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "option \"features\" is an empty list");
    return names;
}

#define NAME_TWICE "option \"features\" names \"%s\" twice"

static int compare_strings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Fails if a name appears twice; format: the message, with %s for the name. */
static void require_distinct(const char *const *names, uint32 count, const char *format)
{
    const char **sorted = palloc(count * sizeof *sorted);

    memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_strings);
    for (uint32 i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            env_fail(host_env(), ERROR_PARAMETER, NULL, format, sorted[i]);
    pfree(sorted);
}

/*
 * Tells whether the method compares texts themselves, so that strings are no levels, or values of any type by their texts. type,
 * value_kind: of the only feature; InvalidOid if there are several, or they are not known yet. Fails if NULLs would be imputed.
 */
static MetricValues wanted_values(const Options *options, Oid type, SqlValueKind value_kind)
{
    bool kernel = options && kernel_options_use_texts(options);
    MetricValues values = options ? metric_options_values(options) : METRIC_OF_FEATURES;

    if (values == METRIC_OF_STRINGS)
        values = !OidIsValid(type)                                        ? METRIC_OF_FEATURES
                 : type_is_bits(type)                                     ? METRIC_OF_VALUES
                 : is_string_or_json(value_kind)           ? METRIC_OF_TEXTS
                                                                          : METRIC_OF_FEATURES;
    if (!kernel && values == METRIC_OF_FEATURES)
        return METRIC_OF_FEATURES;
    if (!options_is(options, "nulls", "skip") && !options_is(options, "nulls", "error"))
        env_fail(host_env(), ERROR_PARAMETER, "Use option \"nulls\": \"skip\", the default, to skip and count such rows.",
                 kernel ? "a kernel of texts has nothing to impute for a text that is NULL"
                        : "a metric of texts has nothing to impute for a text that is NULL");
    return kernel ? METRIC_OF_TEXTS : values;
}

/* The same where the features are columns of a row; column: the only one, NULL if there are several. */
static MetricValues wanted_of_column(const Options *options, const SourceColumn *column)
{
    return column ? wanted_values(options, column->type, column->value_kind) : wanted_values(options, InvalidOid, SQL_VALUE_NONE);
}

/* Returns the kind of a column that would otherwise be of this kind, where methods compare texts or values of any type. */
static FieldKind kind_as_compared(MetricValues values, const SourceColumn *column, FieldKind kind)
{
    return values == METRIC_OF_VALUES || (values == METRIC_OF_TEXTS && kind == FIELD_CATEGORICAL && is_string_or_json(column->value_kind)) ? FIELD_TEXT : kind;
}

static void require_one_value(MetricValues values, uint32 count)
{
    if (values == METRIC_OF_VALUES && count > 1)
        env_fail(host_env(), ERROR_DATA, "Select the one to compare by option \"features\", or make one value of them, such as an array.",
                 "a metric function compares one feature, but the row has %u", count);
}

/* Describes fields of one kind without names of their own; the option may name them. */
static SchemaSpec describe_unnamed(uint32 count, FieldKind kind, const Options *options)
{
    SchemaSpec spec = {.field_count = count};
    uint32 names;

    if (kind != FIELD_NUMERIC) {
        FieldKind *kinds = palloc(count * sizeof *kinds);

        for (uint32 i = 0; i < count; i++)
            kinds[i] = kind;
        spec.kinds = kinds;
    }
    spec.names = option_names(options, &names);
    if (!spec.names)
        return spec;
    require_distinct(spec.names, names, NAME_TWICE);
    if (names != count)
        env_fail(host_env(), ERROR_PARAMETER, NULL,
                 "option \"features\" has %u name%s for %u feature%s", names, names == 1 ? "" : "s", count, count == 1 ? "" : "s");
    spec.named = true;
    return spec;
}

/*
 * Tells whether an object may lack a key that a formula or option names, which counts as NULL; raises a WARNING about it, once per
 * call site. Fails if NULLs are imputed, because the kind of the feature is then unknown.
 */
static bool describe_absent(FeatureReader *reader, const Source *source, const Options *options, const char *name, uint32 length)
{
    if (source->type != JSONBOID || !options_has(options, "missing") || options_is(options, "missing", "error"))
        return false;
    if (options_is(options, "nulls", "impute") || options_is(options, "nulls", "branch"))
        env_fail(host_env(), ERROR_DATA, "Start with a row without nulls, or pass a row with typed columns.",
                 "the first object lacks \"%s\", so the kind of this feature is unknown", message_string(name, length));
    if (!reader->told)
        ereport(WARNING, (errmsg("the first object lacks \"%s\", which counts as NULL", message_string(name, length)),
                          errhint("%s Option \"missing\": \"error\" refuses such objects.", source_hint(source, name, length))));
    reader->told = true;
    return true;
}

static void __attribute__((noreturn)) fail_selected(const Source *source, const char *name)
{
    env_fail(host_env(), ERROR_PARAMETER, source_hint(source, name, (uint32)strlen(name)),
             "option \"features\" names \"%s\", which the row does not have", name);
}

/*
 * Finds the columns that the option selects by name from a row with names. Where the option has as many names as the
 * row has columns, a name without a column of its own goes to the column at its position, if that one has no name.
 */
static void select_columns(FeatureReader *reader, const Source *source, const Options *options, const char *const *names,
                           uint32 name_count, uint32 *columns)
{
    bool *taken = palloc0(source->column_count * sizeof *taken);
    uint32 place = 0;

    for (uint32 i = 0; i < name_count; i++) {
        int found = source_find(source, names[i]);

        columns[i] = found < 0 ? source->column_count : (uint32)found;
        if (found >= 0)
            taken[found] = true;
    }
    for (uint32 i = 0; i < source->column_count; i++) {
        if (source->columns[i].dropped)
            continue;
        if (place < name_count && columns[place] == source->column_count && name_count == source->live_count &&
            !source->columns[i].named && !taken[i])
            columns[place] = i;
        place++;
    }
    for (uint32 i = 0; i < name_count; i++)
        if (columns[i] == source->column_count && !describe_absent(reader, source, options, names[i], (uint32)strlen(names[i])))
            fail_selected(source, names[i]);
    pfree(taken);
}

/*
 * Returns the columns that are features, in order: those that the option selects, or all but the special ones. The number of
 * columns stands for a key that an object lacks.
 */
static uint32 *chosen_columns(FeatureReader *reader, const Source *source, const Options *options, const char *const *names,
                              uint32 name_count, const SpecialColumn *special, uint32 *count)
{
    uint32 *columns = palloc(Max(Max(source->column_count, name_count), 1) * sizeof *columns);

    *count = 0;
    for (uint32 i = 0; i < special->count; i++)
        (void)source_special_column(source, special, i); /* fails where the row has none */
    if (names && source->named_count > 0) {
        select_columns(reader, source, options, names, name_count, columns);
        *count = name_count;
        return columns;
    }
    if (names && name_count != source->live_count) {
        for (uint32 i = 0; i < name_count; i++) {
            int found = source_find(source, names[i]);

            if (found < 0)
                env_fail(host_env(), ERROR_PARAMETER, NULL,
                         "option \"features\" has %u name%s for %u feature%s", name_count, name_count == 1 ? "" : "s",
                         source->live_count, source->live_count == 1 ? "" : "s");
            columns[(*count)++] = (uint32)found;
        }
        return columns;
    }
    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped && !special_is(special, source->columns[i].name, source->columns[i].name_length))
            columns[(*count)++] = i;
    return columns;
}

static void describe_column(FeatureReader *reader, const Source *source, const char *place, uint32 number, bool impute, FieldKind *kind,
                     uint32 *width)
{
    const SourceColumn *column = &source->columns[number];
    const char *name = message_string(column->name, column->name_length);
    const char *value;
    ArrayView view;
    Datum buffer;

    *width = 1;
    if (column->value_kind == SQL_VALUE_JSONB) {
        *kind = json_value_kind(source, place, number);
        if (*kind == 0 && impute)
            env_fail(host_env(), ERROR_DATA,
                     "Start with a row without nulls, or pass a row with typed columns.",
                     "the first row is null in \"%s\", so the kind of this feature is unknown", name);
        if (*kind == 0)
            *kind = FIELD_NUMERIC; /* any kind: the row will be skipped, and its description dropped */
        return;
    }
    if (column->value_kind == SQL_VALUE_NONE)
        source_fail_column(column, NULL);
    *kind = column_field_kind(column);
    if (column->value_kind != SQL_VALUE_ARRAY && column->value_kind != SQL_VALUE_CAST)
        return;
    value = row_value(reader, source, place, number, &buffer);
    if (value && OidIsValid(column->cast)) {
        ArrayCast cast;

        cast_find(&cast, column->cast, CurrentMemoryContext);
        value = cast_to_array(&cast, value);
    }
    if (!value) {
        if (impute)
            env_fail(host_env(), ERROR_DATA, "Start with a row without NULLs.",
                     "the first row is NULL in \"%s\", so the length of this array is unknown", name);
        return;
    }
    view = array_view(value, psprintf("feature \"%s\" is", name));
    if (view.count == 0)
        env_fail(host_env(), ERROR_DATA, NULL, "feature \"%s\" is an empty array", name);
    *width = view.count;
}

/* ---- the fields of a formula ---- */

/* Tells whether a formula may mean this column: names without quotes are also looked up in lower case. */
static bool formula_may_name(const Formula *formula, const SourceColumn *column)
{
    for (uint32 i = 0; i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *name = formula_variable(formula, i, &length);

        if (length == column->name_length && pg_strncasecmp(name, column->name, length) == 0)
            return true;
    }
    return false;
}

/* Tells whether "." leaves a column out. */
static bool left_out(const FeatureReader *reader, const SourceColumn *column, const SpecialColumn *special)
{
    if (special_is(special, column->name, column->name_length))
        return true;
    for (uint32 i = 0; reader->call && i < reader->call->count; i++)
        if (column_is_named(column, reader->call->names[i], (uint32)strlen(reader->call->names[i])))
            return true;
    return false;
}

/* Tells whether name i left of the ~ is one of these names. folded: in lower case, as an unquoted name that no column has as it is written. */
static bool target_is_among(const Formula *target, uint32 i, const char *const *names, uint32 count, bool folded)
{
    uint32_t length;
    const char *written = formula_variable(target, i, &length);
    const char *name = folded ? asc_tolower(written, length) : pnstrdup(written, length);

    for (uint32 n = 0; n < count; n++)
        if (strcmp(names[n], name) == 0)
            return true;
    return false;
}

/* Returns whether name i left of the ~ is looked up in lower case, beside columns of these names. */
static bool target_is_folded(const Formula *target, uint32 i, const char *const *names, uint32 count)
{
    return !formula_variable_is_quoted(target, i) && !target_is_among(target, i, names, count, false);
}

/* Returns for each column whether the formula has it left of the ~, so that "." leaves it out. */
static bool *columns_in_target(const Formula *parsed, const Source *source)
{
    const Formula *target = formula_target(parsed);
    bool *in_target = palloc0(Max(source->column_count, 1) * sizeof *in_target);

    for (uint32 i = 0; target != NULL && i < formula_variable_count(target); i++) {
        uint32_t length;
        const char *written = formula_variable(target, i, &length), *name = pnstrdup(written, length);

        if (!formula_variable_is_quoted(target, i) && source_find(source, name) < 0)
            name = asc_tolower(written, length);
        for (uint32 c = 0; c < source->column_count; c++)
            in_target[c] |= column_is_named(&source->columns[c], name, length);
    }
    return in_target;
}

/* Fails because name i left of the ~ is not that of the target. A target has a name only if it is a plain column: some plans hide what expressions are made of. */
static void __attribute__((noreturn)) fail_target(const CallColumns *call, const Formula *target, uint32 i)
{
    const char *passed = call->target_column == NULL && call->target_plain ? call->names[0] : call->target_column;
    uint32_t length;
    const char *name = formula_variable(target, i, &length);

    if (passed)
        env_fail(host_env(), ERROR_PARAMETER,
                 psprintf("Write %s left of the ~, or pass \"%s\" as the target.", formula_name(host_env(), passed), message_string(name, length)),
                 "the formula calls the target \"%s\", but the target that is passed is \"%s\"", message_string(name, length), passed);
    env_fail(host_env(), ERROR_PARAMETER, "Name the target left of the ~ after what is passed as the target, or leave the name out.",
             "the formula calls the target \"%s\", but the target that is passed is not made of this column", message_string(name, length));
    pg_unreachable();
}

/* Fails if the formula has an expression left of the ~, such as log(price), and the column itself is passed: the aggregate would fit the column. */
static void require_computed(const CallColumns *call, const Formula *target)
{
    const char *passed = call->target_column ? call->target_column : call->target_count > 0 ? call->names[0] : NULL;

    if (!call->target_known || !call->target_plain || !passed || formula_is_name(target))
        return;
    for (uint32 i = 0; i < formula_variable_count(target); i++)
        if (target_is_among(target, i, &passed, 1, target_is_folded(target, i, &passed, 1)))
            env_fail(host_env(), ERROR_PARAMETER,
                     psprintf("The left side is a name and is not computed. Pass the expression as the target, with ln() for a natural logarithm, or write %s left of the ~.",
                              formula_name(host_env(), passed)),
                     "the formula calls the target \"%s\", but the target that is passed is \"%s\"", formula_text(target), passed);
}

/*
 * Returns what the formula calls the target; NULL: nothing. Fails if the call has none, or if it is seen to be made of other columns: a name that is no
 * column of the row may only stand for what is computed.
 */
static const char *target_name(const FeatureReader *reader, const Formula *parsed)
{
    const Formula *target = formula_target(parsed);
    const CallColumns *call = reader->call;

    if (target == NULL)
        return NULL;
    if (!call->supervised)
        env_fail(host_env(), ERROR_PARAMETER, "Write what is right of the ~ alone.", "%s has no target, but the formula has \"%s\" left of the ~", call->method,
                 formula_text(target));
    for (uint32 i = 0; call->target_known && i < formula_variable_count(target); i++) {
        bool folded = target_is_folded(target, i, call->row_names, call->row_count);
        bool of_row = target_is_among(target, i, call->row_names, call->row_count, folded);
        bool own = call->target_column && !(of_row && call->target_count > 0) && target_is_among(target, i, &call->target_column, 1, folded);

        if ((of_row || (call->target_plain && formula_is_name(target))) && !own && !target_is_among(target, i, call->names, call->target_count, folded))
            fail_target(call, target, i);
    }
    require_computed(call, target);
    return formula_text(target);
}

/* Adds the variables that an object lacks and may lack to columns[count], which move to new memory. Returns how many. */
static uint32 absent_variables(FeatureReader *reader, const Source *source, const Options *options, const Formula *parsed,
                               FormulaVariable **columns, uint32 count)
{
    uint32 added = 0, variables = formula_variable_count(parsed);
    FormulaVariable *all = palloc((count + variables + 1) * sizeof *all);

    memcpy(all, *columns, count * sizeof *all);
    for (uint32 i = 0; i < variables; i++) {
        uint32_t length;
        const char *name = formula_variable(parsed, i, &length);
        bool found = false;

        for (uint32 c = 0; c < count && !found; c++)
            found = columns[0][c].length == length && pg_strncasecmp(columns[0][c].name, name, length) == 0;
        if (!found && !formula_variable_is_constant(parsed, i) && describe_absent(reader, source, options, name, length))
            all[count + added++] = (FormulaVariable){pnstrdup(name, length), length, FIELD_NUMERIC, 1};
    }
    *columns = all;
    return added;
}

/* Resolves a formula against the columns of the first row. */
static Formula *describe_formula(FeatureReader *reader, const Source *source, const char *place, const Options *options,
                                 const Formula *parsed)
{
    bool impute = options_is(options, "nulls", "impute") || options_is(options, "nulls", "branch"), dot = formula_has_dot(parsed);
    SpecialColumn special = special_column(options);
    FormulaVariable *columns = palloc(Max(source->column_count, 1) * sizeof *columns);
    const char **others = palloc(Max(source->column_count, 1) * sizeof *others);
    const bool *in_target = columns_in_target(parsed, source);
    uint32 count = 0, other_count = 0;

    if (dot && (reader->call == NULL || !reader->call->known))
        env_fail(host_env(), ERROR_PARAMETER, "Name the columns, or make target, id and weight plain columns: FROM t AS d, with d.y as the target.",
                 "the columns that \".\" stands for are not known, because the call does not show which columns the other arguments are");
    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];
        FormulaVariable *variable = &columns[count];
        bool other = dot && !column->dropped && !left_out(reader, column, &special) && !in_target[i];

        if (column->dropped || !(column->named || source->all_default))
            continue;
        *variable = (FormulaVariable){pnstrdup(column->name, column->name_length), column->name_length, FIELD_NUMERIC, 1};
        if ((other || formula_may_name(parsed, column)) && column->value_kind != SQL_VALUE_NONE)
            describe_column(reader, source, place, i, impute, &variable->kind, &variable->width);
        if (other)
            others[other_count++] = variable->name;
        count++;
    }
    if (source->type == JSONBOID)
        count += absent_variables(reader, source, options, parsed, &columns, count);
    return formula_resolve(host_env(), parsed, columns, count, others, other_count);
}

/* Fails: a special column is named as a feature. where: what names it. */
static void __attribute__((noreturn)) fail_special(const SpecialColumn *special, const char *name, const char *where)
{
    bool copied = special->use == SPECIAL_GROUP || special->use == SPECIAL_TIME;

    env_fail(host_env(), ERROR_PARAMETER,
             env_message(host_env(), "Remove it from %s%s.", where, copied ? ", or name a copy of the column there: SELECT *, a AS b" : ""),
             "column \"%s\" holds the %s and cannot be a feature", name, special_content(special));
}

/* Fails where a variable that the formula reads is the special column, or cannot be a feature: "." without it may leave it out. */
static void require_variables(const Formula *formula, bool dot, const Source *source, const SpecialColumn *special, MetricValues values)
{
    for (uint32 i = 0; i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *bytes = formula_variable(formula, i, &length), *name = pnstrdup(bytes, length);
        int found = source_find(source, name);

        if (!formula_reads(formula, i))
            continue;
        if (special_is_no_feature(special) && special_is(special, name, length))
            fail_special(special, name, "the formula");
        if (found >= 0 && source->columns[found].value_kind == SQL_VALUE_NONE && values != METRIC_OF_VALUES)
            source_fail_column(&source->columns[found], dot ? source : NULL);
    }
}

/* Fails where the formula names or takes in a column that shares its name with another, or has none. */
static void require_own_names(const Formula *formula, const Source *source)
{
    if (source->named_count == source->live_count || source->descriptor == NULL)
        return;
    if (formula_has_dot(formula))
        env_fail(host_env(), ERROR_PARAMETER, "Give each column of the row a name of its own, with AS.",
                 "%u of %u columns of the row have no name of their own, and the . of the formula would leave them out",
                 source->live_count - source->named_count, source->live_count);
    for (uint32 i = 0; i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *bytes = formula_variable(formula, i, &length), *name = pnstrdup(bytes, length);
        int found = 0;

        for (int c = 0; c < source->descriptor->natts; c++)
            found += !TupleDescAttr(source->descriptor, c)->attisdropped &&
                     strcmp(NameStr(TupleDescAttr(source->descriptor, c)->attname), name) == 0;
        if (found > 1)
            env_fail(host_env(), ERROR_PARAMETER, "Give each column of the row a name of its own, with AS.",
                     "the row has %d columns of the name \"%s\", which the formula names", found, name);
    }
}

/* Returns the column of a formula with one variable, else NULL. */
static const SourceColumn *only_variable(const Formula *formula, const Source *source)
{
    uint32_t length;
    const char *name;
    int found = -1;

    if (formula_variable_count(formula) == 1) {
        name = formula_variable(formula, 0, &length);
        found = source_find(source, pnstrdup(name, length));
    }
    return found >= 0 ? &source->columns[found] : NULL;
}

static void describe_formula_fields(FeatureReader *reader, const Source *source, const char *place, const Options *options, SchemaSpec *spec)
{
    const char *text = options_string(options, "formula");
    SpecialColumn special = special_column(options);
    MetricValues values;
    const char **names;
    FieldKind *kinds;
    uint32 *widths, count;
    Formula *formula;
    bool columns, dot;

    formula = formula_parse(host_env(), text, strlen(text));
    dot = formula_has_dot(formula);
    require_formula_names(formula, source);
    require_own_names(formula, source);
    spec->target_name = target_name(reader, formula);
    formula = describe_formula(reader, source, place, options, formula);
    values = wanted_of_column(options, only_variable(formula, source));
    require_variables(formula, dot, source, &special, values);
    count = formula_input_count(formula);
    names = palloc((count + 1) * sizeof *names);
    kinds = palloc((count + 1) * sizeof *kinds);
    widths = palloc((count + 1) * sizeof *widths);
    spec->formula_learns = formula_learns(formula);
    spec->formula_summable = formula_summable(formula);
    columns = count > 0 && !spec->formula_learns;
    for (uint32 i = 0; i < count; i++) {
        const FormulaInput *input = formula_input(formula, i);

        columns = columns && input->kind == FORMULA_COLUMN;
        names[i] = input->name;
        kinds[i] = input->field_kind;
        widths[i] = input->width;
    }
    require_one_value(values, count);
    for (uint32 i = 0; columns && i < count; i++) {
        int found = source_find(source, names[i]);

        if (found >= 0)
            kinds[i] = kind_as_compared(values, &source->columns[found], kinds[i]);
        if (kinds[i] == FIELD_TEXT)
            widths[i] = 1;
    }
    spec->field_count = count;
    spec->names = names;
    spec->kinds = kinds;
    spec->widths = widths;
    spec->named = true;
    spec->formula_kinds = columns ? NULL : formula_kinds(host_env(), formula, &spec->formula_kind_count);
    spec->formula = columns ? NULL : formula_text(formula); /* columns as they are: the same as option "features" */
}

/* ---- rows ---- */

/* Tells whether option "formula" says what the features are. */
static bool wants_formula(const Options *options)
{
    if (!options || !options_has(options, "formula") || !options_given(options, "formula"))
        return false;
    if (options_given(options, "features"))
        env_fail(host_env(), ERROR_PARAMETER, "Name the columns in the formula alone.",
                 "options \"formula\" and \"features\" exclude each other");
    return true;
}

/* Fails if option "features" names a column twice, or the special one. */
static void require_features(const char *const *names, uint32 count, const SpecialColumn *special)
{
    require_distinct(names, count, NAME_TWICE);
    for (uint32 i = 0; i < count; i++)
        if (special_is_no_feature(special) && special_is(special, names[i], strlen(names[i])))
            fail_special(special, names[i], "option \"features\"");
}

/* Describes the column of one field. */
static void describe_field(FeatureReader *reader, const Source *source, const char *place, uint32 column, MetricValues values, bool impute,
                           FieldKind *kind, uint32 *width)
{
    if (values == METRIC_OF_VALUES) {
        *kind = FIELD_TEXT;
        *width = 1;
        return;
    }
    describe_column(reader, source, place, column, impute, kind, width);
    *kind = kind_as_compared(values, &source->columns[column], *kind);
}

static SchemaSpec describe_row(FeatureReader *reader, const Source *source, const char *place,
                               const Options *options)
{
    bool impute = options && (options_is(options, "nulls", "impute") || options_is(options, "nulls", "branch"));
    MetricValues values;
    SchemaSpec spec = {0};
    uint32 name_count, count;
    const char *const *names = option_names(options, &name_count);
    SpecialColumn special = options ? special_column(options) : (SpecialColumn){SPECIAL_NONE};
    uint32 *columns;
    const char **field_names;
    FieldKind *kinds;
    uint32 *widths;

    if (wants_formula(options)) {
        describe_formula_fields(reader, source, place, options, &spec);
        if (special.use == SPECIAL_ID)
            spec.id_type = source_special_type(reader, source, &special);
        return spec;
    }
    if (names)
        require_features(names, name_count, &special);
    columns = chosen_columns(reader, source, options, names, name_count, &special, &count);
    if (count == 0)
        fail_empty();
    values = wanted_of_column(options, count == 1 && columns[0] < source->column_count ? &source->columns[columns[0]] : NULL);
    require_one_value(values, count);
    field_names = palloc(count * sizeof *field_names);
    kinds = palloc(count * sizeof *kinds);
    widths = palloc(count * sizeof *widths);
    for (uint32 i = 0; i < count; i++)
        if (columns[i] < source->column_count) {
            field_names[i] = pnstrdup(source->columns[columns[i]].name, source->columns[columns[i]].name_length);
            if (!names && source->named && values != METRIC_OF_VALUES && source->columns[columns[i]].value_kind == SQL_VALUE_NONE)
                source_fail_column(&source->columns[columns[i]], source);
            describe_field(reader, source, place, columns[i], values, impute, &kinds[i], &widths[i]);
        } else { /* the row will be skipped, and its description dropped */
            field_names[i] = names[i];
            kinds[i] = FIELD_NUMERIC;
            widths[i] = 1;
        }
    spec.field_count = count;
    spec.kinds = kinds;
    spec.widths = widths;
    if (names) {
        spec.names = names;
        spec.named = true;
    } else if (source->named_count > 0 || special.use) {
        spec.names = field_names;
        spec.named = source->named || special.use; /* the special column may be anywhere, so positions say nothing */
        if (spec.named && !source->named)
            require_distinct(field_names, count, "two columns are named \"%s\"");
    }
    if (special.use == SPECIAL_ID)
        spec.id_type = source_special_type(reader, source, &special);
    return spec;
}

SchemaSpec features_describe(FeatureReader *reader, Datum datum, const Options *options)
{
    const char *place;
    FieldKind kind = sql_value_kind(reader->type.value_kind);

    switch (reader->type.value_kind) {
    case SQL_VALUE_ROW:
        place = open_value(datum);
        return describe_row(reader, reader_row_source(reader, place), place, options);
    case SQL_VALUE_JSONB: {
        SchemaSpec spec;

        place = open_value(datum);
        spec = describe_row(reader, reader_json_source(reader, place), place, options);
        spec.missing = options && options_has(options, "missing") && options_is(options, "missing", "error");
        return spec;
    }
    case SQL_VALUE_ARRAY:
    case SQL_VALUE_CAST: {
        uint32 count;

        if (wanted_of_column(options, NULL) == METRIC_OF_VALUES)
            return describe_unnamed(1, FIELD_TEXT, options);
        count = describe_array(reader, datum, &kind);

        if (wants_formula(options))
            fail_formula_unnamed();
        if (count == 0)
            return (SchemaSpec){0};
        return describe_unnamed(count, kind, options);
    }
    default: {
        MetricValues values = wanted_values(options, reader->type.base, reader->type.value_kind);

        if (is_string_or_json(reader->type.value_kind) ? values != METRIC_OF_FEATURES : values == METRIC_OF_VALUES)
            kind = FIELD_TEXT;
        else if (reader->type.value_kind == SQL_VALUE_NONE)
            features_fail_type(reader);
        if (wants_formula(options))
            fail_formula_unnamed();
        return describe_unnamed(1, kind, options);
    }
    }
}
