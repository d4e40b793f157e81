-- running fits

CREATE FUNCTION pgfit_internal.running_fits(OUT pid int, OUT leader_pid int, OUT datid oid, OUT usesysid oid, OUT query_id bigint, OUT started timestamptz,
    OUT estimator text, OUT phase text, OUT rows_read bigint, OUT fits bigint, OUT done bigint, OUT total bigint, OUT seconds_left float8, OUT loss float8,
    OUT operation text, OUT step bigint, OUT steps bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_running_fits' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit_internal.running_fits() IS
'Returns what running fits report, for pgfit.progress. Raises a WARNING if the server keeps no such reports.';

CREATE VIEW pgfit.progress AS
SELECT f.pid, f.leader_pid, d.datname, pg_catalog.pg_get_userbyid(f.usesysid) AS usename, f.query_id, f.estimator, f.phase, f.rows_read, f.fits, f.done, f.total,
       pg_catalog.round(100.0 * least(f.done, f.total) / f.total, 1) AS percent, pg_catalog.make_interval(secs => pg_catalog.round(f.seconds_left)) AS remaining, f.loss, f.operation, f.step, f.steps, f.started, pg_catalog.clock_timestamp() - f.started AS elapsed
FROM pgfit_internal.running_fits() AS f LEFT JOIN pg_catalog.pg_database AS d ON d.oid = f.datid;
GRANT SELECT ON pgfit.progress TO PUBLIC;
COMMENT ON VIEW pgfit.progress IS
'Running fits of all sessions, one row per process: its pid (and that of the leader of a parallel worker), database, role, query id, the estimator, the phase, rows read and models fitted so far, units of work done and in total in this phase, the percentage and the time that the rest of the phase takes at this pace, the loss, the operation that the fit is a part of (passes, search, training) with its step and the number of steps, when the fit began, and for how long it has been running. Only members of the role and of pg_read_all_stats see more than who runs it. Needs pgfit in shared_preload_libraries before PostgreSQL 17.';
