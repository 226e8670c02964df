import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { workerInboxes } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { connectBus, createLogger, DataClient } from '@trunkline/runtime';
import type postgres from 'postgres';
import type { Copies, CopyTarget, SentTree } from '../../apps/vcs-worker/src/copies/copies.ts';
import { createCopies } from '../../apps/vcs-worker/src/copies/create-copies.ts';
import { isTransientInGit } from '../../apps/vcs-worker/src/vcs/git/is-transient.ts';
import { isTransientInHg } from '../../apps/vcs-worker/src/vcs/hg/is-transient.ts';
import type { Cluster } from './cluster.ts';

export interface CopySource {
  readonly copies: Copies;
  close(): Promise<void>;
}

/** Opens the sending side of copies in this process, as the worker of another storage has it. */
export async function openCopySource({ nats, secret }: Pick<Cluster, 'nats' | 'secret'>): Promise<CopySource> {
  const logger = createLogger({ role: 'test', level: 'silent' });
  const bus = await connectBus({ url: nats.workerUrl, name: 'test', inboxPrefix: workerInboxes, logger });
  const vault = createSecretVault(secret);
  const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  const backends = { hg: { isTransient: isTransientInHg }, git: { isTransient: isTransientInGit } };
  return {
    copies: createCopies({ bus, client, vault, backends }),
    async close() {
      client.close();
      await bus.close();
    },
  };
}

let repositories = 1_000_000;

/** Records a running operation, whose lease is held by nobody's worker, and returns a copy to the storage. */
export async function beginOperation(sql: postgres.Sql, storage: string): Promise<CopyTarget> {
  const operationId = randomUUID();
  const uuid = randomUUID();
  repositories += 1;
  await sql`
    insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
    values (${operationId}, 'pull', ${repositories}, '{}', 'running', 'test', 1, now() + interval '1 day')`;
  return { storage, operationId, attempt: 1, storagePath: `@repos/${uuid.slice(0, 2)}/${uuid}.2` };
}

/** Records that another attempt at the operation has begun, and returns its copy. */
export async function nextAttempt(sql: postgres.Sql, target: CopyTarget): Promise<CopyTarget> {
  await sql`update operations set attempt = attempt + 1 where id = ${target.operationId}`;
  return { ...target, attempt: target.attempt + 1 };
}

/** The tree that Trunkline would have: of git without the work tree. */
export const storedIn = (path: string, type: 'hg' | 'git') => (type === 'git' ? join(path, '.git') : path);

/** Describes what is sent of a repository. */
export const treeOf = (path: string, type: 'hg' | 'git', more: Partial<SentTree> = {}): SentTree => ({
  path: storedIn(path, type),
  type,
  changedSince: null,
  linkSources: [],
  ...more,
});
