import {
  auditLog,
  countedRefusals,
  isUniqueViolation,
  operations,
  preparedSql,
  repositories,
  storages,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type { AuditedCall } from '../../domain/audit/audited-call.ts';
import { repeatedCommand } from '../../domain/audit/audit-store.ts';
import type { InsertedRepository } from '../../domain/repo/new-repository-store.ts';
import { requireTakesWrites } from '../../storage/require-storage.ts';
import { firstAttempt, type ClaimedOperation } from './claimed-operation.ts';
import { held, leaseEnd } from './lease-store.ts';
import { fencedError } from './operation-store.ts';

/** The operation that makes the bytes of a repository, whose row is inserted. */
export interface NewCreation {
  readonly kind: 'create' | 'import';
  readonly repository: InsertedRepository;
  /** Input of the runner, with the repository's record for the answer. */
  readonly request: Readonly<Record<string, unknown>> & { readonly record: object };
}

interface Claim {
  readonly worker: string;
  readonly leaseSeconds: number;
}

const given = (name: string) => sql.placeholder(name);
const insertBegun = preparedSql(sql`
  with begun as (
    insert into ${operations} (id, kind, repository_id, storage_id, epoch, actor_id, request, state, worker, attempt,
      lease_until, started_at)
    values (${given('operationId')}::uuid, ${given('kind')}::text, ${given('repositoryId')}::int,
      ${given('storageId')}::uuid, ${given('epoch')}::bigint, ${given('actorId')}::int, ${given('request')}::jsonb,
      'running', ${given('worker')}::text, 1, ${leaseEnd(given('leaseSeconds'))}, now())),
  entry as (
    insert into ${auditLog} (request_id, actor_id, actor, ip, method, args, repository_id, outcome)
    select ${given('operationId')}::uuid, ${given('actorId')}::int, ${given('actor')}::text, ${given('ip')}::text,
      ${given('method')}::text, ${given('args')}::jsonb, ${given('repositoryId')}::int, 'running'
    where not exists (select 1 from ${countedRefusals} where request_id = ${given('operationId')}::uuid)
    on conflict do nothing returning 1)
  select s.name as storage, s.state, (select count(*)::int from entry) as entries
  from ${storages} s where s.id = ${given('storageId')}::uuid`);

/**
 * Begins the creation of a repository: inserts the operation, which this worker holds, and the entry of the call in the
 * audit log, both in one statement.
 */
export async function insertCreation(
  tx: Transaction,
  { kind, repository, request }: NewCreation,
  { worker, leaseSeconds }: Claim,
  { entry, actor }: { readonly entry: AuditedCall; readonly actor: string },
): Promise<ClaimedOperation> {
  const claimedAt = performance.now();
  // A call that creates a repository begins one operation, which has the id of the call.
  const { recorded, requestId: operationId, userId: actorId, args, ip, method } = entry;
  const { id: repositoryId, storageId, epoch, uuid, type, storagePath, cloneUri, cloneUriSealed } = repository;
  const of = { kind, operationId, repositoryId, storageId, epoch, worker, leaseSeconds };
  const recordedAs = { actorId, actor, ip, method, args: JSON.stringify(args), request: JSON.stringify(request) };
  const [begun] = await insertBegun(tx)
    .execute({ ...of, ...recordedAs })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'operations_pkey') ? repeatedCommand() : error;
    });
  requireTakesWrites(storageId, begun && { name: begun['storage'], state: begun['state'] });
  if (begun?.['entries'] === 0 && !recorded) throw repeatedCommand();
  return {
    ...firstAttempt,
    id: operationId,
    kind,
    repositoryId,
    storageId,
    epoch,
    request,
    isLost: false,
    claimedAt,
    created: { uuid, type, storagePath, cloneUri, cloneUriSealed },
  };
}

// As in `endOperation`: the repository is locked before the operation, and an attempt that is fenced changes nothing.
const endEmpty = preparedSql(sql`
  with kept as (
    select r.id from ${repositories} r
    where r.id = ${given('repositoryId')}::int and r.epoch = coalesce(${given('epoch')}::bigint, r.epoch)
      and exists (select 1 from ${operations} where ${held})
    for update of r),
  ended as (
    update ${operations} set state = 'done', error = null, progress = null, finished_at = now(), lease_until = null
    from kept where ${held} returning kept.id),
  entry as (
    update ${auditLog} set outcome = 'succeeded', error = null
    where request_id = ${given('id')}::uuid and outcome = 'running' and exists (select 1 from ended)),
  changed as (
    update ${repositories} r set state = 'ready', generation = r.generation + 1, last_changeset = null,
      default_branch = ${given('defaultBranch')}::text, size_bytes = ${given('sizeBytes')}::bigint, needs_recovery = false
    from ended where r.id = ended.id)
  select id from ended`);

/** What is recorded of a repository that was made empty. */
export interface EmptyRepository {
  readonly defaultBranch: string | null;
  readonly sizeBytes: number | null;
}

/**
 * Ends the creation of an empty repository, which becomes visible, in one statement; throws FencedError for a fenced
 * attempt.
 */
export async function endCreation(
  db: Db,
  operation: ClaimedOperation,
  worker: string,
  made: EmptyRepository,
): Promise<void> {
  const { id, attempt, repositoryId, epoch } = operation;
  const ended = await endEmpty(db).execute({ id, attempt, worker, repositoryId, epoch, ...made });
  if (ended.length === 0) throw fencedError(operation);
}
