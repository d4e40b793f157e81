/*
 * served_models.c - looks up names in the registry, and keeps their models between queries.
 *
 * The tables are read by index scans like those of system catalogs. A prepared statement that scores one row by name takes 46 us in all
 * (pgbench -M prepared); a saved plan that joins the two tables would add 30. Who may do what with a name is asked here (registry_right), as the views of the tables ask it.
 */
#include "pg/score/served_models.h"
#include "pg/score/registry_access.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define NAMES_KEPT 10000

/*
 * What a lookup depends on: two equal views see the same rows. As long as xmax stays, no newer transaction has ended, and those that were running
 * can only end, so that an equal number of them means the same ones. What the transaction has done itself shows in its command.
 */
typedef struct View {
    TransactionId xmin, xmax;
    uint32 running, running_subtransactions;
    TransactionId transaction;
    SubTransactionId subtransaction;
    CommandId command;
    Oid user;
} View;

StaticAssertDecl(sizeof(View) == 32, "views are compared by bytes, so they have no padding");

/* A version of a row: an update makes another. file: of the table, because VACUUM FULL may put another row of the same transaction in its place. */
typedef struct RowVersion {
    ItemPointerData place;
    TransactionId xmin;
    Oid file;
} RowVersion;

/* A model, checked and prepared. */
typedef struct ServedModel {
    MemoryContext context; /* of all it has */
    RowVersion row;        /* in the registry */
    Datum stored;          /* its value as the table has it */
    const Scorer *scorer;
    Size bytes;
    uint32 sites; /* that use it now */
    bool kept;    /* by the session */
} ServedModel;

/* A name that the session has looked up. */
typedef struct ServedName {
    uint64 hash; /* the key */
    char *name;
    View seen;          /* when it was looked up last */
    RegistryRight right; /* of the user then */
    ServedModel *model; /* NULL: none */
    dlist_node ring;
} ServedName;

struct ServedSite {
    MemoryContextCallback callback;
    ServedModel *model; /* NULL: none yet */
    View seen;
    RegistryRight right;
    char *name;
    Size length, room;
    MemoryContext context;
};

/* Of this session: names by hash, the one that was unused longest first, and the bytes of their models. */
static HTAB *names_seen;
static dlist_head ring = DLIST_STATIC_INIT(ring);
static Size bytes_kept;
static MemoryContext session_context;

/* ---- the view of a query ---- */

static View current_view(void)
{
    Snapshot snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;
    View view;

    if (unlikely(snapshot == NULL))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a model cannot be looked up by name outside a query")));
    view.xmin = snapshot->xmin;
    view.xmax = snapshot->xmax;
    view.running = snapshot->xcnt;
    view.running_subtransactions = (uint32)snapshot->subxcnt;
    view.transaction = GetTopTransactionIdIfAny();
    view.subtransaction = GetCurrentSubTransactionId();
    view.command = snapshot->curcid;
    view.user = GetUserId();
    return view;
}

static inline bool same_view(const View *a, const View *b)
{
    return memcmp(a, b, sizeof(View)) == 0;
}

static RowVersion version_of(HeapTuple tuple, Relation table)
{
    return (RowVersion){tuple->t_self, HeapTupleHeaderGetRawXmin(tuple->t_data), table->rd_rel->relfilenode};
}

static bool same_row(const RowVersion *a, const RowVersion *b)
{
    return ItemPointerEquals((ItemPointer)&a->place, (ItemPointer)&b->place) && a->xmin == b->xmin && a->file == b->file;
}

/* ---- models ---- */

/* Frees a model that neither a call site nor the session has. */
static void free_unused(ServedModel *model)
{
    if (model != NULL && model->sites == 0 && !model->kept)
        MemoryContextDelete(model->context);
}

static void release_site(void *argument)
{
    ServedSite *site = argument;
    ServedModel *model = site->model;

    site->model = NULL;
    if (model != NULL)
        model->sites--;
    free_unused(model);
}

/* Checks and prepares a model. stored: its value as a table has it, in context. */
static ServedModel *prepare_model(MemoryContext context, Datum stored)
{
    ServedModel *model = MemoryContextAllocZero(context, sizeof(ServedModel));
    MemoryContext before = MemoryContextSwitchTo(context);
    const Model *value = model_from_datum(stored);

    model->context = context;
    model->stored = stored;
    model->scorer = scorer_cache_get(scorer_cache_create(context), PointerGetDatum(value), true);
    MemoryContextSwitchTo(before);
    model->bytes = MemoryContextMemAllocated(context, true);
    return model;
}

/* Returns the model of a row of the registry, which nobody keeps yet. */
static ServedModel *model_of_row(HeapTuple tuple, Relation table)
{
    MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pgfit served model", ALLOCSET_SMALL_SIZES), before;
    bool isnull;
    Datum value = heap_getattr(tuple, REGISTRY_MODEL, RelationGetDescr(table), &isnull);
    ServedModel *model;

    before = MemoryContextSwitchTo(context);
    value = isnull ? (Datum)0 : datumCopy(value, false, -1);
    MemoryContextSwitchTo(before);
    if (isnull)
        return NULL;
    model = prepare_model(context, value);
    model->row = version_of(tuple, table);
    return model;
}

/* ---- names of the session ---- */

static void forget_model(ServedName *name)
{
    ServedModel *model = name->model;

    if (model == NULL)
        return;
    name->model = NULL;
    bytes_kept -= model->bytes;
    model->kept = false;
    free_unused(model);
}

static void forget_name(ServedName *name)
{
    uint64 hash = name->hash;

    forget_model(name);
    dlist_delete(&name->ring);
    pfree(name->name);
    hash_search(names_seen, &hash, HASH_REMOVE, NULL);
}

/* Keeps a model for the session, unless it is larger than all may be together; those unused longest make room. */
static void keep_model(ServedName *name, ServedModel *model)
{
    forget_model(name);
    if (model->bytes > pgfit_fit_mem_bytes())
        return;
    while (bytes_kept + model->bytes > pgfit_fit_mem_bytes()) {
        ServedName *oldest = dlist_head_element(ServedName, ring, &ring);

        if (oldest == name) /* the last one left */
            break;
        forget_name(oldest);
    }
    MemoryContextSetParent(model->context, session_context);
    name->model = model;
    model->kept = true;
    bytes_kept += model->bytes;
}

static void begin_session(void)
{
    HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(ServedName)};

    session_context = AllocSetContextCreate(TopMemoryContext, "pgfit served models", ALLOCSET_DEFAULT_SIZES);
    control.hcxt = session_context;
    names_seen = hash_create("pgfit served names", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static uint64 hash_of_name(const char *text, Size length)
{
    return hash_bytes_extended((const unsigned char *)text, (int)length, 0);
}

/* Returns what the session knows of a name; NULL: nothing. */
static ServedName *known_name(const char *text, Size length)
{
    uint64 hash = hash_of_name(text, length);
    ServedName *name;

    if (names_seen == NULL)
        begin_session();
    name = hash_search(names_seen, &hash, HASH_FIND, NULL);
    if (name == NULL)
        return NULL;
    if (strlen(name->name) != length || memcmp(name->name, text, length) != 0) {
        forget_name(name);
        return NULL;
    }
    dlist_delete(&name->ring);
    dlist_push_tail(&ring, &name->ring);
    return name;
}

/* Returns what the session knows of a name that is there; of a new name nothing. */
static ServedName *session_name(const char *text, Size length)
{
    uint64 hash = hash_of_name(text, length);
    ServedName *name = known_name(text, length);
    bool found;

    if (name != NULL)
        return name;
    if (hash_get_num_entries(names_seen) >= NAMES_KEPT)
        forget_name(dlist_head_element(ServedName, ring, &ring));
    text = MemoryContextStrdup(session_context, pnstrdup(text, length));
    name = hash_search(names_seen, &hash, HASH_ENTER, &found);
    memset((char *)name + sizeof(uint64), 0, sizeof(ServedName) - sizeof(uint64));
    name->name = (char *)text;
    dlist_push_tail(&ring, &name->ring);
    return name;
}

/* ---- looking up ---- */

/* What the row of a name says. */
typedef struct NameRow {
    int32 active; /* 0: none */
    RegistryRight right;
} NameRow;

/* Finds the row of a name that the user may score by. Fails if there is none. */
static NameRow find_name(const char *name)
{
    RegistryScan scan = registry_scan(REGISTRY_NAMES, name, 0);
    HeapTuple tuple = registry_next(&scan);
    NameRow found = {.right = tuple == NULL ? RIGHT_NONE : registry_right(tuple, RelationGetDescr(scan.table))};
    bool isnull;
    Datum active;

    if (found.right == RIGHT_NONE)
        registry_fail_name(name);
    active = heap_getattr(tuple, NAMES_ACTIVE, RelationGetDescr(scan.table), &isnull);
    found.active = isnull ? 0 : DatumGetInt32(active);
    registry_scan_end(&scan);
    return found;
}

/*
 * Looks a name up. Returns its model, which the session keeps if it can, and sets *right to what the user may do with it. Checks of the values that a metric compares may score rows by
 * other names, which may make the session forget this one meanwhile.
 */
static ServedModel *look_up(const char *text, Size length, const View *view, RegistryRight *right)
{
    char *string = pnstrdup(text, length);
    NameRow found = find_name(string);
    ServedName *name;
    ServedModel *model;
    RegistryScan scan;
    HeapTuple tuple;
    RowVersion row;

    if (found.active == 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("no version of model \"%s\" serves", string),
                        errhint("Choose one with pgfit.promote(name, version); pgfit.history(name) lists them.")));
    scan = registry_scan(REGISTRY_VERSIONS, string, found.active);
    tuple = registry_next(&scan);
    if (tuple == NULL)
        registry_fail_version(string, found.active);
    row = version_of(tuple, scan.table);
    name = session_name(string, length);
    model = name->model;
    if (model == NULL || !same_row(&row, &model->row)) {
        model = model_of_row(tuple, scan.table);
        if (model == NULL)
            registry_fail_version(string, found.active);
        name = session_name(string, length);
        keep_model(name, model);
    }
    registry_scan_end(&scan);
    name->seen = *view;
    *right = name->right = found.right;
    return model;
}

/* ---- call sites ---- */

ServedSite *served_site(MemoryContext context)
{
    ServedSite *site = MemoryContextAllocZero(context, sizeof(ServedSite));

    site->context = context;
    site->callback.func = release_site;
    site->callback.arg = site;
    MemoryContextRegisterResetCallback(context, &site->callback);
    return site;
}

/* Gives the site another model; moves it out of the row's memory if the session does not keep it. */
static void take_model(ServedSite *site, ServedModel *model)
{
    if (model == site->model)
        return;
    model->sites++;
    if (!model->kept)
        MemoryContextSetParent(model->context, session_context);
    release_site(site);
    site->model = model;
}

/* Remembers the name that a site was called with. */
static void take_name(ServedSite *site, const char *name, Size length)
{
    if (length >= site->room) {
        site->room = length + 64;
        site->name = MemoryContextAlloc(site->context, site->room);
    }
    memcpy(site->name, name, length);
    site->length = length;
}

/* Finds the model of a site whose name or view has changed. */
static ServedModel *find_model(ServedSite *site, const char *text, Size length, const View *view)
{
    bool same = site->model != NULL && length == site->length && memcmp(text, site->name, length) == 0;
    RegistryRight right;
    const ServedName *name;

    if (same && same_view(view, &site->seen))
        return site->model;
    name = known_name(text, length);
    if (name != NULL && name->model != NULL && same_view(view, &name->seen)) {
        right = name->right;
        take_model(site, name->model);
    } else {
        take_model(site, look_up(text, length, view, &right));
    }
    if (!same)
        take_name(site, text, length);
    site->seen = *view;
    site->right = right;
    return site->model;
}

static ServedModel *site_model(ServedSite *site, Datum name, bool constant)
{
    View view = current_view();
    text *value;

    if (constant && site->model != NULL && same_view(&view, &site->seen))
        return site->model;
    value = DatumGetTextPP(name);
    return find_model(site, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &view);
}

const Scorer *served_scorer(ServedSite *site, Datum name, bool constant)
{
    return site_model(site, name, constant)->scorer;
}

static void __attribute__((noreturn)) fail_read(const char *name, Size length)
{
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to read model \"%.*s\"", (int)length, name),
                    errhint("You may score by its name. Its owner lets you read it with pgfit.grant_model(name, role, 'read').")));
}

void served_require_read(const ServedSite *site)
{
    if (site->right < RIGHT_READ)
        fail_read(site->name, site->length);
}

/* Returns the stored value of the model, as a table has it, for those who may read it. */
static Datum served_value(ServedSite *site, Datum name)
{
    ServedModel *model = site_model(site, name, false);

    served_require_read(site);
    return datumCopy(model->stored, false, -1);
}

/* Returns the stored value of a version of the model, for those who may read it. Fails with undefined_object if it is not there. */
static Datum served_version(Datum name, int32 version)
{
    char *string = TextDatumGetCString(name);
    RegistryScan scan;
    HeapTuple tuple;
    bool isnull;
    Datum value = (Datum)0;

    if (find_name(string).right < RIGHT_READ)
        fail_read(string, strlen(string));
    scan = registry_scan(REGISTRY_VERSIONS, string, version);
    tuple = registry_next(&scan);
    if (tuple == NULL)
        registry_fail_version(string, version);
    value = heap_getattr(tuple, REGISTRY_MODEL, RelationGetDescr(scan.table), &isnull);
    if (isnull)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("version %d of model \"%s\" failed in training", version, string),
                        errhint("Its message in pgfit.history(name) says why.")));
    value = datumCopy(value, false, -1);
    registry_scan_end(&scan);
    return value;
}

/* get_model(name, version) */
PG_FUNCTION_INFO_V1(pgfit_get_model);
PGDLLEXPORT Datum pgfit_get_model(PG_FUNCTION_ARGS)
{
    FmgrInfo *info = fcinfo->flinfo;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (!PG_ARGISNULL(1))
        return served_version(PG_GETARG_DATUM(0), PG_GETARG_INT32(1));
    if (info->fn_extra == NULL)
        info->fn_extra = served_site(info->fn_mcxt);
    return served_value(info->fn_extra, PG_GETARG_DATUM(0));
}
