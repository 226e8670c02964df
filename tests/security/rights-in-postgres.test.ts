import { createHash, randomUUID } from 'node:crypto';
import { levels, reaches, RpcError } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rightsQuery } from '../../apps/vcs-worker/src/authz/access-query.ts';
import type { Acted } from '../../apps/vcs-worker/src/authz/acting-statement.ts';
import { callerParameters, requireRights } from '../../apps/vcs-worker/src/authz/authorize.ts';
import { groupLevelQuery } from '../../apps/vcs-worker/src/authz/repo-group/effective-group-level.ts';
import { demandedPermissions } from '../../apps/vcs-worker/src/calls/demanded-rights.ts';
import { writeOnRepoGroup } from '../../apps/vcs-worker/src/repo-group/repo-group-write-store.ts';
import { writeOnRepository } from '../../apps/vcs-worker/src/repo/repository-write-store.ts';
import { chosenRounds, chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { drawCaller, drawMethod, drawRepoGroup, drawRepository, drawWorld } from '../harness/rights-world.ts';
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
function errorOf(write: Pick<Acted, 'rights'>, asked: Parameters<typeof requireRights>[1]): string | null {
  try {
    const { repository } = requireRights(write.rights, asked);
    return repository || !asked.ref ? null : 'missing';
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

/** The rest of a call, which has no target, so that it changes nothing. */
const withoutTarget = (ip: string) =>
  ({
    formerId: null,
    kind: 'set_user_level',
    targetId: null,
    targetName: null,
    level: null,
    requestId: randomUUID(),
    ip,
    method: 'test',
    args: '{}',
    isBrief: false,
  }) as const;

/** Makes one drawn call on a repository; returns whether its rights sufficed. */
async function compareOne(random: Random): Promise<boolean> {
  const [caller, ref, method] = [drawCaller(random, fingerprint), drawRepository(random), drawMethod(random)];
  const parameters = { ...callerParameters(caller), repositoryId: ref.id, repositoryName: ref.name };
  const [read] = await rightsQuery(worker.db).execute(parameters);
  const write = await writeOnRepository(worker.db, {
    ...parameters,
    networks: read && addressAllowed(caller.ip, read.networks) ? read.networks : [],
    permissions: demandedPermissions(method.permission),
    leastLevel: levels[method.permission.repository ?? 'none'],
    ...withoutTarget(caller.ip),
    state: null,
  });
  const { repository, ...rights } = write.rights;
  const named = { repositoryId: repository?.id ?? null, repositoryName: repository?.name, level: repository?.level };
  const call = JSON.stringify({ caller, ref, method });
  expect(decisive({ ...rights, ...named }), call).toEqual(decisive(read));
  const error = errorOf(write, { method, caller, ref, noteRepository: () => {} });
  expect(write.step, `${call}: ${error}`).toBe(error === null ? 'unfit' : 'refused');
  return error === null;
}

/** The same on a repository group, for whose levels only the caller's level on it decides. */
async function compareOneOnGroup(random: Random): Promise<boolean> {
  const [caller, ref] = [drawCaller(random, fingerprint), drawRepoGroup(random)];
  const named = { repoGroupId: ref.id, repoGroupName: ref.name };
  const parameters = callerParameters(caller);
  const nothing = { repositoryId: null, repositoryName: null };
  const [read] = await rightsQuery(worker.db).execute({ ...parameters, ...nothing });
  const [group] = await groupLevelQuery(worker.db).execute({
    ...{ userId: caller.userId, groupId: ref.id, groupName: ref.name },
  });
  const write = await writeOnRepoGroup(worker.db, {
    ...parameters,
    networks: read && addressAllowed(caller.ip, read.networks) ? read.networks : [],
    permissions: null,
    ...named,
    ...withoutTarget(caller.ip),
  });
  const call = JSON.stringify({ caller, ref, group });
  const method = { permission: { caller: 'any' }, access: 'write' } as const;
  const error = errorOf(write, { method, caller, ref: null, noteRepository: () => {} });
  expect(write.group, call).toEqual(error === null ? (group ?? null) : null);
  const mayAct = reaches(group?.level ?? levels.none, 'admin');
  expect(write.step, `${call}: ${error}`).toBe(error === null ? (mayAct ? 'unfit' : 'missing') : 'refused');
  return error === null && mayAct;
}

it('B7 the statement that acts reads the rights of the query for calls, and refuses what the worker refuses', async () => {
  const allowed: boolean[] = [];
  const onGroups: boolean[] = [];
  for (let world = 0; world < worlds; world += 1) {
    const random = seededRandom(seed, world);
    for (const statement of drawWorld(random)) await owner.db.execute(statement);
    for (let call = 0; call < callsAWorld; call += 1) {
      allowed.push(await compareOne(random));
      onGroups.push(await compareOneOnGroup(random));
    }
  }
  const count = (calls: boolean[]) => `${calls.filter(Boolean).length} of ${calls.length}`;
  console.log(`allowed were ${count(allowed)} calls on repositories, ${count(onGroups)} on groups`);
  for (const calls of [allowed, onGroups]) expect(new Set(calls)).toEqual(new Set([true, false]));
}, 120_000);
