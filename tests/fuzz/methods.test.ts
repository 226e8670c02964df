import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { methods, RpcError, served, type ServedName } from '@trunkline/contracts';
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { askingViews } from '../harness/ask-view.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { sampleArguments } from '../harness/sample-arguments.ts';
import { eventually } from '../harness/eventually.ts';
import { sampleHostile } from '../harness/hostile-values.ts';
import { isJson } from '../harness/is-json.ts';
import { descendants, readProcesses } from '../harness/process-figures.ts';
import { chosenRounds, chosenSeed, sampled } from '../harness/random.ts';
import { makeRemote } from '../harness/remotes.ts';

const rounds = chosenRounds(70);
const streams = 4;
const seed = chosenSeed();
const kept = ['kept-hg', 'kept-git'] as const;
const victims = ['x', 'y', 'g1/x', 'g2/new/y', 'docs', 3, 4, 5] as const;
const spoiling: ReadonlySet<ServedName> = new Set(['delete_repo', 'update_repo']);
const names = Object.keys(served).filter((name): name is ServedName => Object.hasOwn(served, name));
const reads = (name: ServedName) => served[name].access === 'read';
const isMethod = (name: ServedName) => Object.hasOwn(methods, name);

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;
let views: Awaited<ReturnType<typeof askingViews>>;
let canary: string;
let keptNodes: string;
let made = 0;
let finished: readonly [string, ...string[]];
const succeeded = new Set<ServedName>();

beforeAll(async () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_FUZZ_ROUNDS=${rounds}`);
  const env = { TRUNKLINE_TRANSFER_TIMEOUT: '20', TRUNKLINE_ALLOWED_REMOTES: '127.0.0.1/32' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 2, env });
  canary = join(cluster.storageRoot, '..', 'canary');
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  views = await askingViews(cluster);
  for (const type of ['hg', 'git'] as const) {
    const remote = await makeRemote[type]();
    for (const text of ['one', 'two']) await remote.commit({ 'docs/read.me': text, top: text });
    const args = { repo_name: `kept-${type}`, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    await admin.result('create_repo', args);
    await remote.close();
  }
  keptNodes = await readKept();
  const ended = await sql<{ id: string }[]>`select id from operations`;
  finished = ['none', ...ended.map(({ id }) => id)];
  for (const username of ['ann', 'bob', 'cid']) await createUser(username);
  for (const group_name of ['makers', 'readers']) await admin.result('create_user_group', { group_name });
  for (const group_name of ['g1', 'g2']) await admin.result('create_repo_group', { group_name });
}, 120_000);

afterAll(async () => {
  await views.close();
  await sql.end();
  await cluster.stop();
});

async function createUser(username: string, more: Record<string, unknown> = {}): Promise<string> {
  await admin.result('create_user', { username, email: `${username}@example.com`, ...more });
  return (await admin.result<{ api_key: string }>('get_user', { userid: username })).api_key;
}

interface Caller {
  readonly username: string;
  readonly client: Client;
}

/** Creates a caller, who is used until one of the calls locks the user out. */
async function makeCaller(more: Record<string, unknown>): Promise<Caller> {
  made += 1;
  const username = `caller-${made}`;
  return { username, client: createClient(cluster.baseUrl, await createUser(username, more)) };
}

interface Answer {
  readonly text: string;
  readonly error: string | null;
}

async function askView(username: string, method: ServedName, args: unknown): Promise<Answer> {
  try {
    return { text: await views.ask(username, method, args), error: null };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { text: '', error: error.message };
  }
}

async function callMethod(client: Client, method: ServedName, args: unknown): Promise<Answer> {
  const { result, error } = await client.call(method, args);
  return { text: JSON.stringify(result), error };
}

/** Returns the fault of an answer, for answers that no call may have. */
function faultOf({ text, error }: Answer): string | null {
  if (error === 'Internal server error') return error;
  // Errors of a call that timed out or was never answered.
  if (error !== null && /^(?:Service is |The outcome of operation )/.test(error)) return error;
  return /root:x:/.test(`${text} ${error}`) ? 'the answer has /etc/passwd' : null;
}

async function readKept(): Promise<string> {
  const args = { revision: 'tip', root_path: '/' };
  const nodes = kept.map((repoid) => admin.result('get_repo_nodes', { repoid, ...args }));
  return JSON.stringify(await Promise.all(nodes));
}

async function findStains(): Promise<string[]> {
  const stains = existsSync(canary) ? ['somebody made the file'] : [];
  return (await readKept()) === keptNodes ? stains : [...stains, 'an innocent call is answered otherwise'];
}

/** Objects that calls delete and `restock` creates again. */
interface Stock {
  readonly repo_name: string;
  readonly repo_type: string;
  readonly username: string;
  readonly userGroup: string;
  readonly group: string;
}
const stock: fc.Arbitrary<Stock> = fc.record({
  repo_name: fc.constantFrom('x', 'y', 'g1/x', 'docs'),
  repo_type: fc.constantFrom('hg', 'git'),
  username: fc.constantFrom('ann', 'bob', 'cid'),
  userGroup: fc.constantFrom('makers', 'readers'),
  group: fc.constantFrom('g1', 'g2'),
});

async function restock({ repo_name, repo_type, username, userGroup, group }: Stock): Promise<void> {
  made += 1;
  await Promise.all([
    admin.call('create_user', { username, email: `${username}-${made}@example.com` }),
    admin.call('create_user_group', { group_name: userGroup }),
    admin.call('create_repo_group', { group_name: group }),
    admin.call('create_repo', { repo_name, repo_type }),
  ]);
}

interface Attack {
  readonly isAdmin: boolean;
  readonly name: ServedName;
  readonly args: Readonly<Record<string, unknown>>;
  readonly restocked: Stock | null;
}

function attacks(): fc.Arbitrary<Attack> {
  const hostile = sampleHostile(canary, ['tip', 'x', 'docs']);
  const calls = names.map((name) => {
    const repositories = spoiling.has(name) ? victims : reads(name) ? kept : ([...kept, ...victims] as const);
    const known = { repoid: repositories, operation_id: finished, commit_id: ['tip'], from: ['tip'], to: ['tip'] };
    return fc.record({ name: fc.constant(name), args: sampleArguments(name, { hostile, known }) });
  });
  return fc
    .tuple(fc.oneof(...calls), fc.constantFrom(true, true, false), fc.option(stock, { freq: 9 }))
    .map(([call, isAdmin, restocked]) => ({ ...call, isAdmin, restocked }));
}

/** Makes the sampled calls of one stream and checks each answer. */
async function expectAnswers(stream: number): Promise<void> {
  const callers = new Map<boolean, Caller>();
  const answersAttack = fc.asyncProperty(attacks(), async ({ isAdmin, name, args, restocked }) => {
    if (restocked) await restock(restocked);
    const caller = callers.get(isAdmin) ?? (await makeCaller(isAdmin ? { admin: true } : {}));
    callers.set(isAdmin, caller);
    const { username, client } = caller;
    const answer = await (isMethod(name) ? callMethod(client, name, args) : askView(username, name, args));
    if (answer.error === null) succeeded.add(name);
    const shutOut = /^(?:Invalid API key|Access was denied|request from)/.test(answer.error ?? '');
    if (shutOut) callers.delete(isAdmin);
    expect([faultOf(answer), ...(await findStains())]).toEqual([null]);
  });
  await fc.assert(answersAttack, sampled(seed, stream, rounds));
}

/** Returns the workers' child processes without those that workers keep: command servers, fork servers, `cat-file`. */
async function findChildren(): Promise<string[]> {
  const table = await readProcesses();
  const pids = cluster.workers.flatMap(({ pid }) => descendants(table, pid));
  const read = async (pid: number): Promise<[number, string]> => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return [pid, line.replaceAll('\0', ' ').trim()];
  };
  const lines = new Map(await Promise.all(pids.map(read)));
  const isOfForkServer = (line = '') => line.includes(' trunkline-serve ');
  const isKept = (pid: number, line: string) =>
    / serve | cat-file --batch|\/spawner\.js /.test(line) ||
    // A child has the command line of the server that forked it.
    (isOfForkServer(line) && !isOfForkServer(lines.get(table.get(pid)?.parent ?? 0)));
  return [...lines].filter(([pid, line]) => line !== '' && !isKept(pid, line)).map(([, line]) => line);
}

it(
  'A7 D1 D2 D3 D5 D11 E10 E11 calls with any arguments are answered and leave no damage, file or process',
  async () => {
    expect(keptNodes).toContain('docs/read.me');
    await Promise.all(Array.from({ length: streams }, (_, stream) => expectAnswers(stream)));
    await eventually(findChildren, (found) => found.length === 0);
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoot),
      (found) => found.length === 0,
    );
    const never = names.filter((name) => !succeeded.has(name));
    console.log(`${succeeded.size} of ${names.length} succeeded, never: ${never.join(' ')}`);
    // Some methods need an object that does not exist here, such as a remote; a short run reaches fewer methods.
    const part = rounds < 70 ? 1 : rounds < 300 ? 0.7 : 0.25;
    expect(never.length).toBeLessThan(names.length * part);
    const logs = (await cluster.logs()).split('\n').filter(Boolean);
    expect(logs.filter((line) => !isJson(line))).toEqual([]);
  },
  60_000 + rounds * 5_000,
);
