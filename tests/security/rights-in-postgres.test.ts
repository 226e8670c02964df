import { createHash } from 'node:crypto';
import { RpcError } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { accessQuery } from '../../apps/vcs-worker/src/authz/access-query.ts';
import {
  callerParameters,
  demandedRights,
  requireRights,
  type Asked,
  type RepositoryAccess,
  type Rights,
} from '../../apps/vcs-worker/src/authz/authorize.ts';
import { lockIfPermitted } from '../../apps/vcs-worker/src/domain/repo/lock-repository.ts';
import { chosenRounds, chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { drawCaller, drawMethod, drawRepository, drawWorld } from '../harness/rights-world.ts';
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

/** The fingerprint of the password hash that drawn users have. */
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

/** Makes one drawn call on a repository; returns whether it has locked the repository. */
async function compareOne(random: Random): Promise<boolean> {
  const [caller, ref, method] = [drawCaller(random, fingerprint), drawRepository(random), drawMethod(random)];
  const parameters = { ...callerParameters(caller), repositoryId: ref.id, repositoryName: ref.name };
  const [read] = await accessQuery(worker.db).execute(parameters);
  const demanded = { ...callerParameters(caller), ...demandedRights(method.permission) };
  const row = await worker.db.transaction((tx) => lockIfPermitted(tx, ref, 'no key update', demanded));
  const error = errorOf(read, { method, caller, ref, noteRepository: () => {} });
  const isDecided = read?.networks.length === 0 && read.limitedTo === null;
  const call = JSON.stringify({ caller, ref, method, error });
  // What the statement leaves to the worker is locked later, once the worker has decided.
  expect(row?.id ?? null, call).toBe(error === null && isDecided ? (read?.repository?.id ?? null) : null);
  return row !== null;
}

it('B7 the statement that acts reads the rights of the query for calls, and refuses what the worker refuses', async () => {
  const locked: boolean[] = [];
  for (let world = 0; world < worlds; world += 1) {
    const random = seededRandom(seed, world);
    for (const statement of drawWorld(random)) await owner.db.execute(statement);
    for (let call = 0; call < callsAWorld; call += 1) locked.push(await compareOne(random));
  }
  console.log(`${locked.filter(Boolean).length} of ${locked.length} calls have locked their repository`);
  expect(new Set(locked)).toEqual(new Set([true, false]));
}, 120_000);
