import type { Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';

/** Whether a worker holds the operation, none has claimed it yet, or its worker has lost it and no other took it over. */
export type RunningState = 'running' | 'waiting' | 'orphaned';

export interface RunningOperations {
  readonly storage: string;
  readonly kind: string;
  readonly state: RunningState;
  readonly count: number;
  /** Age of the oldest one. */
  readonly seconds: number;
}

export interface StorageFigures {
  readonly storage: string;
  readonly state: string;
  readonly repositories: number;
  readonly bytes: number;
  readonly damaged: number;
}

/** Operations beyond these are not counted. */
const operationsMax = 10_000;

/**
 * Reads the operations that have not ended and the repositories of the storages that this worker clears: one worker
 * does that for each storage, so that no figure is reported twice.
 */
export function readDatabaseFigures(db: Database, worker: string) {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '2s'`);
    const operations = await tx.execute<RunningOperations & Record<string, unknown>>(sql`
      select storage, kind, state, count(*)::int as count, max(seconds)::float8 as seconds
      from (
        select s.name as storage, o.kind, extract(epoch from now() - o.created_at) as seconds,
          case when o.worker is null then 'waiting' when o.lease_until < now() then 'orphaned' else 'running' end as state
        from operations o join storages s on s.id = o.storage_id
        where o.state = 'running' and s.swept_by = ${worker}::uuid
        limit ${operationsMax}
      ) as unfinished
      group by storage, kind, state`);
    const storages = await tx.execute<StorageFigures & Record<string, unknown>>(sql`
      select s.name as storage, s.state, count(r.id)::int as repositories,
        coalesce(sum(r.size_bytes), 0)::float8 as bytes,
        (select count(*)::int from repository_verifications v join repositories d on d.id = v.repository_id
          where v.damaged and d.storage_id = s.id) as damaged
      from storages s left join repositories r on r.storage_id = s.id
      where s.swept_by = ${worker}::uuid
      group by s.id`);
    return { operations: [...operations], storages: [...storages] };
  });
}

export type DatabaseFigures = Awaited<ReturnType<typeof readDatabaseFigures>>;
