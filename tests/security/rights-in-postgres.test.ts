import { createHash, randomUUID } from 'node:crypto';
import { levels, RpcError } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rightsQuery } from '../../apps/vcs-worker/src/authz/access-query.ts';
import { callerParameters, requireRights } from '../../apps/vcs-worker/src/authz/authorize.ts';
import { demandedPermissions } from '../../apps/vcs-worker/src/calls/act-in-one-statement.ts';
import { writeOnRepository, type RepositoryWrite } from '../../apps/vcs-worker/src/repo/repository-write-store.ts';
import { chosenRounds, chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { drawCaller, drawMethod, drawRepository, drawWorld } from '../harness/rights-world.ts';
import { uniqueName } from '../harness/shared-cluster.ts';
import { openTestDatabase } from '../harness/test-database.ts';

const seed = chosenSeed();
const worlds = chosenRounds(5);
const callsAWorld = 50;

let owner: OpenDatabase;
let worker: OpenDatabase;

beforeAll(async () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed}`);
  const { url, ownerUrl, workerUrl } = await openTestDatabase(inject('postgresUrl'), uniqueName('rights'));
  await migrate(ownerUrl);
  owner = openDatabase(url, { connectionsMax: 1, name: 'test' });
  worker = openDatabase(workerUrl, { connectionsMax: 1, name: 'test' });
});
afterAll(() => Promise.all([owner.close(), worker.close()]));

type Row = Record<string, unknown> | undefined;

/** Returns what decides on a call, in one form for both readings. */
function decisive(row: Row) {
  if (row?.['userId'] === undefined || row['userId'] === null) return null;
  const { repositoryId, repositoryName, level, ...rest } = row;
  const sorted = (name: string) => [...(rest[name] as string[])].toSorted();
  const repository = repositoryId === null ? null : { id: repositoryId, name: repositoryName, level };
  return { ...rest, networks: sorted('networks'), globalPermissions: sorted('globalPermissions'), repository };
}

/** The fingerprint of the password hash that drawn users have. */
const fingerprint = createHash('sha256').update('hash ').digest('hex');

/** Returns the client's error, by the rights that the statement has read; null when the call may act. */
function errorOf(write: RepositoryWrite, asked: Parameters<typeof requireRights>[1]): string | null {
  try {
    return requireRights(write.rights, asked).repository ? null : 'missing';
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

/** Makes one drawn call, which has no target, so that it changes nothing; returns whether its rights sufficed. */
async function compareOne(random: Random): Promise<boolean> {
  const [caller, ref, method] = [drawCaller(random, fingerprint), drawRepository(random), drawMethod(random)];
  const parameters = { ...callerParameters(caller), repositoryId: ref.id, repositoryName: ref.name };
  const [read] = await rightsQuery(worker.db).execute(parameters);
  const write = await writeOnRepository(worker.db, {
    ...parameters,
    networks: read && addressAllowed(caller.ip, read.networks) ? read.networks : [],
    permissions: demandedPermissions(method.permission),
    leastLevel: levels[method.permission.repository ?? 'none'],
    formerId: null,
    kind: 'set_user_level',
    targetId: null,
    targetName: null,
    level: null,
    requestId: randomUUID(),
    ip: caller.ip,
    method: 'test',
    args: '{}',
    isBrief: false,
  });
  const { repository, ...rights } = write.rights;
  const named = { repositoryId: repository?.id ?? null, repositoryName: repository?.name, level: repository?.level };
  const call = JSON.stringify({ caller, ref, method });
  expect(decisive({ ...rights, ...named }), call).toEqual(decisive(read));
  const error = errorOf(write, { method, caller, ref, noteRepository: () => {} });
  expect(write.step, `${call}: ${error}`).toBe(error === null ? 'unfit' : 'refused');
  return error === null;
}

it('B7 the statement that acts reads the rights of the query for calls, and refuses what the worker refuses', async () => {
  const allowed: boolean[] = [];
  for (let world = 0; world < worlds; world += 1) {
    const random = seededRandom(seed, world);
    for (const statement of drawWorld(random)) await owner.db.execute(statement);
    for (let call = 0; call < callsAWorld; call += 1) allowed.push(await compareOne(random));
  }
  console.log(`${allowed.filter(Boolean).length} of ${allowed.length} calls were allowed`);
  expect(new Set(allowed)).toEqual(new Set([true, false]));
}, 120_000);
