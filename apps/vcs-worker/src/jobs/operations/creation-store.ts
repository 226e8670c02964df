import {
  auditLog,
  countedRefusals,
  followers,
  isUniqueViolation,
  names,
  operations,
  preparedSql,
  repositories,
  storages,
  userRepositoryPermissions,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type { AuditedCall } from '../../domain/audit/audited-call.ts';
import { repeatedCommand } from '../../domain/audit/audit-store.ts';
import { defaultUserId } from '../../authz/effective-level.ts';
import type { NewRepository } from '../../domain/repo/repository-store.ts';
import { requireTakesWrites } from '../../storage/require-storage.ts';
import type { ClaimedOperation } from './claimed-operation.ts';
import { held, leaseEnd } from './lease-store.ts';
import { fencedError } from './operation-store.ts';

/** A repository to create, with the operation that makes its bytes. */
export interface NewCreation {
  readonly kind: 'create' | 'import';
  readonly repository: NewRepository;
  /** Level of the user `default` on it. */
  readonly defaultLevel: number;
  /** Input of the runner; the record gets the id of the repository. */
  readonly request: Readonly<Record<string, unknown>> & { readonly record: object };
}

interface Claim {
  readonly worker: string;
  readonly leaseSeconds: number;
}

const given = (name: string) => sql.placeholder(name);
const noCloneUri = { cloneUri: null, cloneUriSealed: null, cloneUriSecretId: null };

// The new name is locked before the repository, whose row nobody else can see yet.
const insertAll = preparedSql(sql`
  with named as (
    insert into ${names} (path, kind) values (${given('name')}::text, 'repository')
    on conflict do nothing returning path),
  made as (
    insert into ${repositories} (name, uuid, group_id, type, state, storage_id, storage_path, private, description,
      owner_id, clone_uri, clone_uri_sealed, clone_uri_secret_id, landing_rev, enable_downloads, enable_locking,
      enable_statistics)
    select path, ${given('uuid')}::uuid, ${given('groupId')}::int, ${given('type')}::text, 'creating',
      ${given('storageId')}::uuid, ${given('storagePath')}::text, ${given('private')}::boolean,
      ${given('description')}::text, ${given('ownerId')}::int, ${given('cloneUri')}::text,
      ${given('cloneUriSealed')}::bytea, ${given('cloneUriSecretId')}::text, ${given('landingRev')}::text,
      ${given('enableDownloads')}::boolean, ${given('enableLocking')}::boolean, ${given('enableStatistics')}::boolean
    from named returning id, storage_id, epoch),
  levels as (
    insert into ${userRepositoryPermissions} (user_id, repository_id, level)
    select ${defaultUserId}, id, ${given('defaultLevel')}::int from made),
  following as (
    insert into ${followers} (user_id, repository_id) select ${given('ownerId')}::int, id from made),
  begun as (
    insert into ${operations} (id, kind, repository_id, storage_id, epoch, actor_id, request, state, worker, attempt,
      lease_until, started_at)
    select ${given('operationId')}::uuid, ${given('kind')}::text, id, storage_id, epoch, ${given('actorId')}::int,
      jsonb_set(${given('request')}::jsonb, '{record,repo_id}', to_jsonb(id)), 'running', ${given('worker')}::text, 1,
      ${leaseEnd(given('leaseSeconds'))}, now() from made),
  entry as (
    insert into ${auditLog} (request_id, actor_id, actor, ip, method, args, repository_id, outcome)
    select ${given('operationId')}::uuid, ${given('actorId')}::int, ${given('actor')}::text, ${given('ip')}::text,
      ${given('method')}::text, ${given('args')}::jsonb, id, 'running' from made
    where not exists (select 1 from ${countedRefusals} where request_id = ${given('operationId')}::uuid)
    on conflict do nothing returning 1)
  select made.id, made.epoch::int, s.name as storage, s.state, (select count(*)::int from entry) as entries
  from made join ${storages} s on s.id = made.storage_id`);

/**
 * Creates a repository in state `creating`, with its name, its level for the user `default`, its owner as follower, the
 * operation that this worker holds, and the entry of the call in the audit log, all in one statement. Returns null when
 * the name is taken; waits for a concurrent transaction that reserves the name.
 */
export async function insertCreation(
  tx: Transaction,
  { kind, repository, defaultLevel, request }: NewCreation,
  { worker, leaseSeconds }: Claim,
  { entry, actor }: { readonly entry: AuditedCall; readonly actor: string },
): Promise<ClaimedOperation | null> {
  const claimedAt = performance.now();
  // A call that creates a repository begins one operation, which has the id of the call.
  const { recorded, requestId: operationId, userId: actorId, args, ip, method } = entry;
  const of = { ...noCloneUri, groupId: null, ...repository, kind, defaultLevel, operationId, worker, leaseSeconds };
  const recordedAs = { actorId, actor, ip, method, args: JSON.stringify(args), request: JSON.stringify(request) };
  const [made] = await insertAll(tx)
    .execute({ ...of, ...recordedAs })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'operations_pkey') ? repeatedCommand() : error;
    });
  if (!made) return null;
  const { storageId, uuid, type, storagePath, cloneUri = null, cloneUriSealed = null } = repository;
  requireTakesWrites(storageId, { name: made['storage'], state: made['state'] });
  if (made['entries'] === 0 && !recorded) throw repeatedCommand();
  const id: number = made['id'];
  return {
    id: operationId,
    kind,
    repositoryId: id,
    sourceRepositoryId: null,
    storageId,
    epoch: made['epoch'],
    targetStorageId: null,
    exclusive: true,
    attempt: 1,
    handovers: 0,
    cancelRequestedAt: null,
    request: { ...request, record: { ...request.record, repo_id: id } },
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
