import { createHash } from 'node:crypto';
import { levels, RpcError, type EntityRef, type LevelName } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { accessQuery } from '../../apps/vcs-worker/src/authz/access-query.ts';
import {
  callerParameters,
  requireRights,
  rightsParameters,
  type Asked,
  type RepositoryAccess,
  type Rights,
} from '../../apps/vcs-worker/src/authz/authorize.ts';
import { lockIfPermitted } from '../../apps/vcs-worker/src/domain/repo/lock-repository.ts';
import { chosenRounds, chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { sampleCaller, sampleMethod, sampleRepository, sampleWorld } from '../harness/rights-world.ts';
import { openTestDatabase } from '../harness/test-database.ts';
import { uniqueAscii } from '../harness/unique-name.ts';

const seed = chosenSeed();
const worlds = chosenRounds(5);
const callsAWorld = 50;

let owner: OpenDatabase;
let worker: OpenDatabase;

beforeAll(async () => {
  const { url, ownerUrl, workerUrl } = await openTestDatabase(inject('postgresUrl'), uniqueAscii('rights'));
  await migrate(ownerUrl);
  owner = openDatabase(url, { connectionsMax: 1, name: 'test' });
  worker = openDatabase(workerUrl, { connectionsMax: 1, name: 'test' });
});
afterAll(() => Promise.all([owner.close(), worker.close()]));

/** The fingerprint of the password hash that sampled users have. */
const fingerprint = createHash('sha256').update('hash ').digest('hex');

/** Returns the client's error, by the rights that were read; null when the call may act. */
function errorOf(rights: Rights<RepositoryAccess> | undefined, asked: Asked): string | null {
  try {
    return requireRights(rights, asked).repository ? null : 'missing';
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

type Called = Pick<Asked, 'caller' | 'ref' | 'method'> & { readonly ref: EntityRef };

/** Makes a call on a repository, and compares statement and worker; returns whether it has locked the repository. */
async function compareOne({ caller, ref, method }: Called): Promise<boolean> {
  const parameters = { ...callerParameters(caller), repositoryId: ref.id, repositoryName: ref.name };
  const [read] = await accessQuery(worker.db).execute(parameters);
  const rights = rightsParameters(caller, method.permission);
  const row = await worker.db.transaction((tx) => lockIfPermitted(tx, ref, 'no key update', rights));
  const error = errorOf(read, { method, caller, ref, noteRepository: () => {} });
  const isDecided = read?.networks.length === 0 && read.limitedTo === null;
  const call = JSON.stringify({ caller, ref, method, error });
  // What the statement leaves to the worker is locked later, once the worker has decided.
  expect(row?.id ?? null, call).toBe(error === null && isDecided ? (read?.repository?.id ?? null) : null);
  return row !== null;
}

function sampleCall(random: Random): Called {
  return { caller: sampleCaller(random, fingerprint), ref: sampleRepository(random), method: sampleMethod(random) };
}

it('B7 the statement that acts reads the rights of the query for calls, and refuses what the worker refuses', async () => {
  const locked: boolean[] = [];
  for (let world = 0; world < worlds; world += 1) {
    const random = seededRandom(seed, world);
    for (const statement of sampleWorld(random)) await owner.db.execute(statement);
    for (let call = 0; call < callsAWorld; call += 1) locked.push(await compareOne(sampleCall(random)));
  }
  console.log(`${locked.filter(Boolean).length} of ${locked.length} calls have locked their repository`);
  expect(new Set(locked)).toEqual(new Set([true, false]));
}, 120_000);

const given = [levels.none, levels.read, levels.write, levels.admin];
const sources = ['own row', 'user group', 'everybody', 'owner', 'administrator'] as const;
/** Repositories on which user 3 has each level by each source, and what the caller of the call on each is. */
const granted = sources.flatMap((source) =>
  (source === 'owner' || source === 'administrator' ? [levels.admin] : given).map((level) => ({ source, level })),
);

function grantStatements({ source, level }: (typeof granted)[number], id: number): string[] {
  const ownerId = source === 'owner' ? 3 : 2;
  const rows = {
    'own row': ['user_repository_permissions (user_id, repository_id, level)', 3],
    'user group': ['user_group_repository_permissions (user_group_id, repository_id, level)', 1],
    everybody: ['user_repository_permissions (user_id, repository_id, level)', 1],
  } as const;
  const [table, principal] = source === 'owner' || source === 'administrator' ? [] : rows[source];
  return [
    `insert into names (path, kind) values ('r${id}', 'repository')`,
    `insert into repositories (id, uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics) overriding system value
      select ${id}, gen_random_uuid(), 'r${id}', 'git', 'ready', id, 'r${id}', false, '', ${ownerId}, 'tip', true, true, true
      from storages`,
    ...(table === undefined ? [] : [`insert into ${table} values (${principal}, ${id}, ${level})`]),
  ];
}

it('B7 the statement that acts and the worker agree on every level, whatever it comes from', async () => {
  const people = [
    'truncate users, user_groups, repositories, repo_groups, names, storages, audit_log, counted_refusals cascade',
    `insert into users (id, username, username_key, admin) overriding system value
      values (1, 'default', 'default', false), (2, 'root', 'root', true), (3, 'ann', 'ann', false)`,
    `insert into api_keys (id, user_id, mac, sealed, secret_id) overriding system value
      select id, id, convert_to(id::text, 'UTF8'), '', '' from users where id > 1`,
    `insert into user_groups (id, name, name_key, owner_id) overriding system value values (1, 'devs', 'devs', 2)`,
    'insert into user_group_members (user_id, user_group_id) values (3, 1)',
    `insert into storages (id, name) values (gen_random_uuid(), 'default')`,
  ];
  const rows = granted.flatMap((one, index) => grantStatements(one, index + 1));
  for (const statement of [...people, ...rows]) await owner.db.execute(statement);
  for (const [index, { source, level }] of granted.entries()) {
    const id = source === 'administrator' ? 2 : 3;
    const caller = { userId: id, ip: '10.1.2.3', credential: { kind: 'key', id } } as const;
    const ref = { sent: String(index + 1), id: index + 1, name: null };
    for (const repository of Object.keys(levels) as LevelName[]) {
      const method = { permission: { caller: 'any', repository }, access: 'write' } as const;
      expect(await compareOne({ caller, ref, method }), `${source} ${level}, wanted ${repository}`).toBe(
        level >= levels[repository],
      );
    }
  }
});
