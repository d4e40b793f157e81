/*
 * pmml_write.c - what writers of models in PMML share: XML, mining schemas, and derived fields.
 */
#include "core/inspection/outputs.h"
#include "core/pmml/pmml_write.h"

#include <math.h>

void pmml_refuse(Env *env, const Model *model, const char *what)
{
    env_fail(env, ERROR_KIND, NULL, "%.31s cannot be written as PMML: %s", model->estimator, what);
}

/* ---- XML ---- */

/* Adds a text so that any parser reads the same characters. */
static void put_escaped(TextBuffer *out, const char *text)
{
    for (const char *c = text; *c != 0; c++) {
        if ((unsigned char)*c < 0x20 && *c != '\t' && *c != '\n' && *c != '\r')
            env_fail(out->env, ERROR_KIND, NULL, "XML cannot hold the character %d of \"%.60s\"", *c, text);
        if (strchr("&<>\"\t\n\r", *c) != NULL)
            text_print(out, "&#%d;", *c);
        else
            text_character(out, *c);
    }
}

void pmml_put_text(TextBuffer *out, const char *name, const char *value)
{
    text_print(out, " %s=\"", name);
    put_escaped(out, value);
    text_character(out, '"');
}

void pmml_put_content(TextBuffer *out, const char *text)
{
    put_escaped(out, text);
}

void pmml_put_number(TextBuffer *out, const char *name, double value)
{
    text_print(out, " %s=\"%.17g\"", name, value);
}

const char *pmml_dictionary_text(PmmlWriter *writer, DictionaryKind kind, uint32_t position)
{
    uint32_t length;
    const Model *model = kind == DICTIONARY_CLASSES ? writer->model : writer->schema;
    const char *text = dictionary_text(model, kind, position, &length);

    if (kind == DICTIONARY_LEVELS && isinf(dictionary_key(model, kind, position)))
        pmml_refuse(writer->env, writer->model, "it has NULL as a level");
    return env_text(writer->env, text, length);
}

/* ---- fields ---- */

/* Returns the name of a field of the row. */
const char *pmml_field_name(Env *env, const Model *schema, uint32_t field)
{
    TextBuffer name = {.env = env};

    output_field_name(&name, schema, field);
    return text_finish(&name, NULL);
}

/* Adds what a field of the row does about NULLs and unknown levels. */
static void put_treatment(PmmlWriter *writer, uint32_t field)
{
    const Model *schema = writer->schema;
    bool category = schema_field_kind(schema, field) == FIELD_CATEGORICAL;
    const double *means = model_f64(schema, "impute", NULL);

    if (category && (schema->flags & MODEL_UNSEEN_ERROR) == 0)
        text_add(writer->out, " invalidValueTreatment=\"asIs\"");
    if (model_nulls_are_values(schema->flags))
        return;
    if ((schema->flags & MODEL_IMPUTE) == 0 || means == NULL) {
        text_add(writer->out, " missingValueTreatment=\"returnInvalid\"");
    } else if (!category) {
        text_add(writer->out, " missingValueTreatment=\"asMean\"");
        pmml_put_number(writer->out, "missingValueReplacement", means[field]);
    }
}

void pmml_put_mining_schema(PmmlWriter *writer, const bool *used, bool target)
{
    TextBuffer *out = writer->out;
    uint32_t count = used != NULL ? writer->model->slot_count : writer->schema->field_count;

    text_add(out, "<MiningSchema>");
    for (uint32_t f = 0; f < count; f++) {
        env_poll_every(writer->env, f + 1, 1024);
        if (used != NULL && !used[f])
            continue;
        text_add(out, "<MiningField");
        pmml_put_text(out, "name", used != NULL ? writer->slot[f].name : pmml_field_name(writer->env, writer->schema, f));
        if (used == NULL)
            put_treatment(writer, f);
        text_add(out, "/>");
    }
    if (target) {
        text_add(out, "<MiningField");
        pmml_put_text(out, "name", writer->target);
        text_add(out, " usageType=\"target\"/>");
    }
    text_add(out, "</MiningSchema>\n");
}

void pmml_begin_model(PmmlWriter *writer, const char *element, const char *function, const char *attributes)
{
    text_print(writer->out, "  <%s functionName=\"%s\" algorithmName=\"%.31s\"%s>\n", element, function, writer->model->estimator, attributes);
    pmml_put_mining_schema(writer, NULL, writer->target != NULL);
    if (writer->derived.length > 0) {
        text_add(writer->out, "<LocalTransformations>\n");
        text_bytes(writer->out, writer->derived.text, writer->derived.length);
        text_add(writer->out, "</LocalTransformations>\n");
    }
}

/* ---- derived fields ---- */

static const char *begin_derived(PmmlWriter *writer, const char *name)
{
    TextBuffer *out = &writer->derived;

    text_add(out, "<DerivedField");
    pmml_put_text(out, "name", name);
    text_add(out, " optype=\"continuous\" dataType=\"double\">");
    return name;
}

static char *join(Env *env, const char *a, const char *b, const char *c, const char *d)
{
    TextBuffer out = {.env = env};

    text_add(&out, a);
    text_add(&out, b);
    text_add(&out, c);
    text_add(&out, d);
    return text_finish(&out, NULL);
}

const char *pmml_derive_scaled(PmmlWriter *writer, const char *source, double shift, double scale)
{
    TextBuffer *out = &writer->derived;
    const char *name = begin_derived(writer, join(writer->env, "scaled(", source, ")", ""));

    text_add(out, "<Apply function=\"/\"><Apply function=\"-\"><FieldRef");
    pmml_put_text(out, "field", source);
    text_print(out, "/><Constant dataType=\"double\">%.17g</Constant></Apply><Constant dataType=\"double\">%.17g</Constant></Apply></DerivedField>\n", shift, scale);
    return name;
}

const char *pmml_derive_level(PmmlWriter *writer, const char *source, uint32_t level)
{
    const char *value = pmml_dictionary_text(writer, DICTIONARY_LEVELS, level), *name = begin_derived(writer, join(writer->env, "is(", source, " = ", join(writer->env, value, ")", "", "")));
    TextBuffer *out = &writer->derived;

    text_add(out, "<NormDiscrete");
    pmml_put_text(out, "field", source);
    pmml_put_text(out, "value", value);
    text_add(out, "/></DerivedField>\n");
    return name;
}

void pmml_require_rule(PmmlWriter *writer)
{
    if (class_rule_of(writer->model).threshold != 0.5)
        pmml_refuse(writer->env, writer->model, env_message(writer->env, "its threshold is %g, not 0.5", class_rule_of(writer->model).threshold));
    if (class_rule_of(writer->model).tie == TIE_NONE)
        pmml_refuse(writer->env, writer->model, "with \"tie\": \"null\" a row may have no class");
}
