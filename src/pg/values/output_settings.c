/*
 * output_settings.c - the text of values as output functions write it, under settings that are the same in every session.
 */
#include "pg/values/output_settings.h"
#include "pg/server/local_settings.h"
#include "pg/values/sql_value.h"

#include "catalog/pg_type.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

OutputSettings output_settings_of(Oid type)
{
    Oid element = get_element_type(type), base = getBaseType(OidIsValid(element) ? element : type);
    SqlValueKind value_kind = sql_value_of_type(base, false).value_kind;
    char category;
    bool preferred;

    if (sql_value_is_level(value_kind) || (value_kind >= SQL_VALUE_INT2 && value_kind <= SQL_VALUE_BOOLEAN) || value_kind == SQL_VALUE_TIME ||
        base == JSONOID || base == JSONBOID)
        return OUTPUT_FIXED;
    if (value_kind == SQL_VALUE_FLOAT8 || value_kind == SQL_VALUE_FLOAT4)
        return OUTPUT_DIGITS;
    get_type_category_preferred(base, &category, &preferred);
    return category == TYPCATEGORY_STRING || category == TYPCATEGORY_NETWORK || category == TYPCATEGORY_BITSTRING ? OUTPUT_FIXED : OUTPUT_ANY;
}

int output_settings_begin(OutputSettings settings)
{
    static const char *const values[][2] = {
        {"bytea_output", "hex"}, {"datestyle", "ISO, YMD"},    {"extra_float_digits", "1"}, {"intervalstyle", "postgres"},
        {"lc_monetary", "C"},    {"quote_all_identifiers", "off"}, {"search_path", "pg_catalog"}, {"timezone", "GMT"}};

    if (settings == OUTPUT_FIXED || (settings == OUTPUT_DIGITS && extra_float_digits > 0)) /* all above 0 give the shortest decimals */
        return 0;
    return local_settings_begin(values, lengthof(values));
}

void output_settings_end(int level)
{
    if (level > 0)
        local_settings_end(level);
}
