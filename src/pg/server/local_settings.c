/*
 * local_settings.c - sets settings while a function runs, as the SET clause of a function does.
 */
#include "pg/server/local_settings.h"

#include "utils/guc.h"

int local_settings_begin(const char *const (*settings)[2], size_t count)
{
    int level = NewGUCNestLevel();

    for (size_t i = 0; i < count; i++)
        (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    return level;
}

void local_settings_end(int level)
{
    AtEOXact_GUC(false, level);
}
