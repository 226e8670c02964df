import type postgres from 'postgres';
import { arrivalKind } from './arrange-loaded.ts';

/** A repository of a backup whose bytes have not arrived yet. */
export interface PendingArrival {
  readonly operationId: string;
  readonly repositoryId: number;
  readonly storage: string;
  readonly storagePath: string;
}

/** An attempt that has the lease of an arrival until another one has it. */
export interface HeldArrival {
  readonly operationId: string;
  readonly attempt: number;
}

/** What is recorded of a repository once its bytes have arrived. */
export interface ArrivedHead {
  /** Null where the bytes are those of the snapshot. */
  readonly other: {
    readonly generation: number;
    /** As the column has it. */
    readonly lastChangeset: unknown;
    readonly defaultBranch: string | null;
  } | null;
  readonly sizeBytes: number | null;
  readonly isDamaged: boolean;
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

/** Extends the leases of attempts that go on, not those of attempts that have followed them. */
export async function extendAttempts(client: postgres.Sql, held: readonly HeldArrival[]): Promise<void> {
  await client`
    update operations o set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from jsonb_to_recordset(${JSON.stringify(held)}::text::jsonb) h("operationId" uuid, attempt integer)
    where o.id = h."operationId" and o.attempt = h.attempt and o.state = 'running'`;
}

/** Gives the lease of an attempt back, so that the next one need not wait for its end. */
export async function releaseAttempt(client: postgres.Sql, { operationId, attempt }: HeldArrival): Promise<void> {
  await client`
    update operations set lease_until = clock_timestamp()
    where id = ${operationId} and attempt = ${attempt} and state = 'running'`;
}

/** Shows a repository whose bytes have arrived, and forgets the operation; throws for an attempt that another one follows. */
export async function endArrival(
  client: postgres.Sql,
  { operationId, repositoryId, attempt }: HeldArrival & Pick<PendingArrival, 'repositoryId'>,
  { other, sizeBytes, isDamaged }: ArrivedHead,
): Promise<void> {
  await client.begin(async (tx) => {
    const ended = await tx`
      delete from operations where id = ${operationId} and attempt = ${attempt} and state = 'running' returning id`;
    if (ended.length === 0) throw new Error('another process restores this repository');
    await tx`update repositories set state = 'ready', size_bytes = ${sizeBytes} where id = ${repositoryId}`;
    if (isDamaged) {
      await tx`insert into repository_verifications (repository_id, verified_at, damaged) values (${repositoryId}, now(), true)
        on conflict (repository_id) do update set verified_at = now(), damaged = true`;
    }
    if (!other) return;
    await tx`update repositories
      set generation = greatest(generation, ${other.generation}::bigint), default_branch = ${other.defaultBranch},
        last_changeset = ${other.lastChangeset === null ? null : JSON.stringify(other.lastChangeset)}::text::jsonb
      where id = ${repositoryId}`;
  });
}

/**
 * Removes a repository that has not arrived, as though the backup had never had it; returns false when it has arrived, or
 * while another process restores it.
 */
export async function leaveOut(client: postgres.Sql, { operationId, repositoryId }: PendingArrival): Promise<boolean> {
  return client.begin(async (tx) => {
    const ended = await tx`
      delete from operations
      where id = ${operationId} and state = 'running' and lease_until <= clock_timestamp() returning id`;
    if (ended.length === 0) return false;
    const removed = await tx<{ name: string }[]>`
      delete from repositories where id = ${repositoryId} and state = 'creating' returning name`;
    for (const { name } of removed) await tx`delete from names where path = ${name}`;
    return true;
  });
}
