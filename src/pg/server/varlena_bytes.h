/*
 * varlena_bytes.h - reads numbers and values of varying length at any address.
 */
#ifndef PGFIT_VARLENA_BYTES_H
#define PGFIT_VARLENA_BYTES_H

#include "pg/server/compat.h"

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

/* Returns the content of a value and its size; NULL if the value is compressed, external or expanded. */
static inline const char *varlena_in_place(const char *place, uint32 *size)
{
    if (VARATT_IS_1B(place) && !VARATT_IS_1B_E(place)) {
        *size = VARSIZE_1B(place) - VARHDRSZ_SHORT;
        return place + VARHDRSZ_SHORT;
    }
    if (!VARATT_IS_4B_U(place))
        return NULL;
    *size = varlena_size(place) - VARHDRSZ;
    return place + VARHDRSZ;
}

/* Returns the content of any value and its size; sets *copy to the palloc'd copy of a value that is not in place. */
static inline const char *varlena_content_of(const char *place, uint32 *size, struct varlena **copy)
{
    const char *content = varlena_in_place(place, size);

    if (likely(content != NULL))
        return content;
    *copy = pg_detoast_datum((struct varlena *)place); /* accepts a pointer of any alignment */
    *size = VARSIZE(*copy) - VARHDRSZ;
    return VARDATA(*copy);
}

static inline const char *varlena_content(const char *place, uint32 *size)
{
    struct varlena *copy;

    return varlena_content_of(place, size, &copy);
}

#endif
