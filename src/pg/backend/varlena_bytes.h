/*
 * varlena_bytes.h - reads numbers and values of varying length at any address.
 */
#ifndef PGFIT_VARLENA_BYTES_H
#define PGFIT_VARLENA_BYTES_H

#include "pg/backend/compat.h"

#define READ_AT(type_, place_)                                                                     \
    ({                                                                                             \
        type_ value_;                                                                              \
        memcpy(&value_, place_, sizeof value_);                                                    \
        value_;                                                                                    \
    })

static inline uint32 varlena_size(const char *place)
{
    uint32 word;

    if (VARATT_IS_1B_E(place))
        return VARSIZE_EXTERNAL(place);
    if (VARATT_IS_1B(place))
        return VARSIZE_1B(place);
    memcpy(&word, place, sizeof word);
    return VARSIZE_4B(&word);
}

/* Returns the content of a value and its size; a toasted value is copied into palloc'd memory. */
static inline const char *varlena_content(const char *place, uint32 *size)
{
    if (VARATT_IS_1B(place) && !VARATT_IS_1B_E(place)) {
        *size = VARSIZE_1B(place) - VARHDRSZ_SHORT;
        return place + VARHDRSZ_SHORT;
    }
    if (!VARATT_IS_4B_U(place)) {
        /* detoasting accepts a pointer of any alignment */
        place = (const char *)pg_detoast_datum((struct varlena *)place);
    }
    *size = varlena_size(place) - VARHDRSZ;
    return place + VARHDRSZ;
}

#endif
