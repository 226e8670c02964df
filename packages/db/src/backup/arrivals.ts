import type postgres from 'postgres';
import { arrivalKind } from './arrange-loaded.ts';

/** A repository of a backup whose bytes have not arrived yet. */
export interface PendingArrival {
  readonly operationId: string;
  readonly repositoryId: number;
  readonly storage: string;
  readonly storagePath: string;
}

/** What is recorded of a repository once its bytes have arrived. */
export interface ArrivedHead {
  /** Null where the bytes are those of the snapshot. */
  readonly later: {
    readonly generation: number;
    /** As the column has it. */
    readonly lastChangeset: unknown;
    readonly defaultBranch: string | null;
  } | null;
  readonly sizeBytes: number | null;
}

const leaseSeconds = 120;

/** Lists the repositories of a backup that have not arrived; none where it was not loaded. */
export async function listPending(client: postgres.Sql, backup: string): Promise<readonly PendingArrival[]> {
  return client<PendingArrival[]>`
    select o.id as "operationId", r.id as "repositoryId", s.name as storage, r.storage_path as "storagePath"
    from operations o join repositories r on r.id = o.repository_id join storages s on s.id = r.storage_id
    where o.kind = ${arrivalKind} and o.state = 'running' and o.request->>'backup' = ${backup} order by r.id`;
}

/** Begins an attempt, unless another process holds the lease; returns its number. */
export async function beginAttempt(client: postgres.Sql, operationId: string): Promise<number | null> {
  const [row] = await client<{ attempt: number }[]>`
    update operations set attempt = attempt + 1, started_at = now(),
      lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id = ${operationId} and state = 'running' and lease_until <= clock_timestamp() returning attempt`;
  return row?.attempt ?? null;
}

/** Extends the leases of attempts that go on. */
export async function extendAttempts(client: postgres.Sql, operationIds: readonly string[]): Promise<void> {
  await client`
    update operations set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id in (select jsonb_array_elements_text(${JSON.stringify(operationIds)}::text::jsonb)::uuid)
      and state = 'running'`;
}

/** Gives the leases of attempts back, so that a further run need not wait for their end. */
export async function releaseAttempts(client: postgres.Sql, operationIds: readonly string[]): Promise<void> {
  await client`
    update operations set lease_until = clock_timestamp()
    where id in (select jsonb_array_elements_text(${JSON.stringify(operationIds)}::text::jsonb)::uuid)
      and state = 'running'`;
}

/** Shows a repository whose bytes have arrived, and forgets the operation; throws for an attempt that another one follows. */
export async function endArrival(
  client: postgres.Sql,
  { operationId, repositoryId, attempt }: Pick<PendingArrival, 'operationId' | 'repositoryId'> & { attempt: number },
  { later, sizeBytes }: ArrivedHead,
): Promise<void> {
  await client.begin(async (tx) => {
    const ended = await tx`
      delete from operations where id = ${operationId} and attempt = ${attempt} and state = 'running' returning id`;
    if (ended.length === 0) throw new Error('another process restores this repository');
    await tx`update repositories set state = 'ready', size_bytes = ${sizeBytes} where id = ${repositoryId}`;
    if (!later) return;
    await tx`update repositories set generation = ${later.generation}, default_branch = ${later.defaultBranch},
        last_changeset = ${later.lastChangeset === null ? null : JSON.stringify(later.lastChangeset)}::text::jsonb
      where id = ${repositoryId}`;
  });
}
