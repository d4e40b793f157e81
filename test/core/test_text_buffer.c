/*
 * test_text_buffer.c - a string that grows is complete, whatever is added and however long it is.
 */
#include "check.h"
#include "core/base/text_buffer.h"

static void test_empty(Host *host)
{
    TextBuffer text = {.env = &host->env};
    size_t length = 1;

    CHECK_TEXT(text_finish(&text, &length), "");
    CHECK(length == 0);
}

/* Longer than any buffer inside. */
static void test_long_text_is_not_cut(Host *host)
{
    TextBuffer text = {.env = &host->env};
    char name[5001];
    size_t length;

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    text_print(&text, "%d %s", 7, name);
    text_character(&text, ';');
    text_bytes(&text, "abc", 2);
    text_add(&text, "!");
    CHECK(strlen(text_finish(&text, &length)) == 2 + 5000 + 1 + 2 + 1);
    CHECK(length == 2 + 5000 + 1 + 2 + 1);
    CHECK_TEXT(text.text + length - 5, "x;ab!");
}

/* Rules of a tree of 40,000 levels, indented, would take gigabytes. */
static void test_text_beyond_a_value_is_refused(Host *host)
{
    TextBuffer text = {.env = &host->env, .text = (char[1]){0}, .length = TEXT_MOST, .room = (size_t)2 * TEXT_MOST};
    volatile bool failed = true;

    if (TRY(host)) {
        text_character(&text, 'x');
        failed = false;
    }
    CHECK(failed && text.length == TEXT_MOST);
}

int main(void)
{
    Host *host = host_new();

    test_empty(host);
    test_long_text_is_not_cut(host);
    test_text_beyond_a_value_is_refused(host);
    host_free(host);
    return check_report();
}
