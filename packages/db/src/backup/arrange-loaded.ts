import type postgres from 'postgres';
import { beginLife } from './known-backups.ts';

/** Where a repository of a backup is to arrive. */
export interface Arriving {
  readonly id: number;
  readonly storageId: string;
  readonly storagePath: string;
  readonly epoch: number;
}

/** Kind of the operations by which repositories of a backup arrive. No worker runs it, or takes it over. */
export const arrivalKind = 'arrive';

const interruptedText = 'The service was restored from a backup that was made meanwhile';

const arrivingRows = (arriving: readonly Arriving[]) => JSON.stringify(arriving);

/** Changes the rows that were copied in: storages are those of this instance, and its directories are empty. */
export async function arrangeLoaded(tx: postgres.ISql, arriving: readonly Arriving[]): Promise<void> {
  await tx`
    update load_repositories r
    set storage_id = a."storageId", storage_path = a."storagePath", epoch = a.epoch, state = 'creating'
    from jsonb_to_recordset(${arrivingRows(arriving)}::text::jsonb)
      a(id integer, "storageId" uuid, "storagePath" text, epoch bigint)
    where a.id = r.id`;
  // Gives up repositories that were being made or deleted, those in the trash, and trees beside a move.
  await tx`create temporary table load_given_up on commit drop as
    select id, name from load_repositories where id not in (
      select a.id from jsonb_to_recordset(${arrivingRows(arriving)}::text::jsonb) a(id integer))`;
  // Their rows are inserted for a moment, for those that refer to them: no other repository has these paths.
  await tx`update load_repositories
    set storage_id = (select id from storages order by name limit 1), storage_path = '@given-up/' || id
    where id in (select id from load_given_up)`;
  await tx`delete from load_repository_copies`;
  await tx`delete from load_deleted_repositories`;
  await tx`delete from load_backups`;
}

/** Ends the operations that ran at the snapshot, and begins those by which repositories arrive. */
export async function endRunningOperations(
  tx: postgres.ISql,
  backup: string,
  arriving: readonly Arriving[],
): Promise<void> {
  await tx`delete from repositories where id in (select id from load_given_up)`;
  await tx`delete from names where path in (select name from load_given_up)`;
  await tx`update audit_log a
    set outcome = case o.kind when 'delete' then 'succeeded' else 'failed' end,
      error = case o.kind when 'delete' then null else ${interruptedText}::text end
    from operations o where o.id = a.request_id and o.state = 'running' and a.outcome = 'running'`;
  await tx`update operations
    set state = case kind when 'delete' then 'done' else 'failed' end, finished_at = now(), progress = null,
      error = case kind when 'delete' then null else ${interruptedText}::text end, worker = null, lease_until = null
    where state = 'running'`;
  await beginLife(tx, backup);
  await tx`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome)
    values (gen_random_uuid(), 0, 'trunklinectl', '', 'restore', jsonb_build_object('backup', ${backup}::text), 'succeeded')`;
  await tx`
    insert into operations (id, kind, repository_id, storage_id, epoch, request, state, worker, attempt, lease_until)
    select gen_random_uuid(), ${arrivalKind}, r.id, r.storage_id, r.epoch,
      jsonb_build_object('name', r.name, 'backup', ${backup}::text), 'running', 'trunklinectl', 0, now()
    from repositories r join jsonb_to_recordset(${arrivingRows(arriving)}::text::jsonb) a(id integer) on a.id = r.id`;
}
