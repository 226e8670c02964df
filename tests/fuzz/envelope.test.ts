import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, post } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { cuts, mutateBytes, mutations, splitBytes, type Mutation } from '../harness/mutate-bytes.ts';
import { chosenRounds, chosenSeed, sampled } from '../harness/random.ts';
import { exchange, type RawAnswer } from '../harness/raw-http.ts';
import { isJson } from '../harness/is-json.ts';

const rounds = chosenRounds(150);
const streams = 4;
const seed = chosenSeed();

let cluster: Cluster;
let key: string;
let bodies: readonly [Buffer, Buffer, ...Buffer[]];

beforeAll(async () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_FUZZ_ROUNDS=${rounds}`);
  const env = { TRUNKLINE_LOG_LEVEL: 'trace', TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'reader', email: 'reader@example.com' });
  ({ api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'reader' }));
  await admin.result('create_repo', { repo_name: 'docs', repo_type: 'git' });
  const body = (method: string, args: object, id: unknown = 1) =>
    Buffer.from(JSON.stringify({ id, api_key: key, method, args }));
  bodies = [
    body('test', { args: { deep: [1, 'two', null, { three: '\u{1f600}\\"' }] } }, { deep: [[' ', 1e300]] }),
    body('get_repo', { repoid: 'docs' }, 'a text'),
    body('get_repo', { repoid: 7 }, [1.5, { a: null }]),
    body('get_changesets', { repoid: 'docs', start: 'tip', limit: 3 }),
    body('get_locks', {}, null),
    body('delete_user', { userid: 'admin' }),
    body('delete_repo', { repoid: 'docs', forks: 'delete' }),
    body('update_repo', { repoid: 'docs', description: 'changed' }),
  ];
});
afterAll(() => cluster.stop());

/** Reads all rows that no call of the user `reader` may change. */
async function readState(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_stat_user_tables where schemaname = 'public'
      and relname not in ('audit_log', 'failed_starts', 'refusal_counts', 'counted_refusals') order by 1`;
  const rows: unknown[] = [];
  for (const { name } of tables) {
    // Uses of a key and sweeps of a storage write times.
    const columns = name === 'api_keys' ? sql`id, user_id` : name === 'storages' ? sql`id, created_at` : sql`*`;
    rows.push([name, await sql`select ${columns} from ${sql(name)} order by 1`]);
  }
  return JSON.stringify(rows);
}

/** Reads the rows on a new connection: a connection that was idle for the whole run may be closed. */
async function state(): Promise<string> {
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await readState(sql);
  } finally {
    await sql.end();
  }
}

/** Returns 12 characters of the API key that the text has and the sent text does not; null without such a leak. */
function leakIn(text: string, sent: string): string | null {
  for (let at = 0; at + 12 <= key.length; at += 1) {
    const part = key.slice(at, at + 12);
    if (text.includes(part) && !sent.includes(part)) return part;
  }
  return null;
}

/** Returns the request without its API key, as JSON: an answer may repeat this part. */
function askedFor(body: Buffer): string {
  try {
    const { api_key: _, ...asked } = JSON.parse(body.toString());
    return JSON.stringify(asked);
  } catch {
    return '';
  }
}

function faultOf({ status, body }: RawAnswer, sent: Buffer): string | null {
  const text = body.toString();
  if (status !== 200) return `status ${status}`;
  if (!isJson(text)) return `no JSON: ${text}`;
  const reply: unknown = JSON.parse(text);
  if (Object.keys(Object(reply)).join() !== 'id,result,error') return `no reply: ${text}`;
  const error: unknown = Reflect.get(Object(reply), 'error');
  if (error !== null && typeof error !== 'string') return `no reply: ${text}`;
  if (/^(?:Internal server error|Service is|The outcome)/.test(error ?? '')) return String(error);
  const leak = leakIn(text, askedFor(sent));
  return leak === null ? null : `it tells ${leak}: ${text}`;
}

function head(from: number, more: string): Buffer {
  return Buffer.from(`POST /_admin/api HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.${from}\r\n${more}\r\n\r\n`);
}

/** Framing of a body: with Content-Length or chunked, and written in pieces cut at these positions. */
interface Framing {
  readonly from: number;
  readonly isChunked: boolean;
  readonly cuts: readonly number[];
}

function frame(body: Buffer, { from, isChunked, cuts }: Framing): Buffer[] {
  if (!isChunked) return splitBytes(Buffer.concat([head(from, `Content-Length: ${body.length}`), body]), cuts);
  const chunks = splitBytes(body, cuts).flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return [head(from, 'Transfer-Encoding: chunked'), ...chunks, Buffer.from('0\r\n\r\n')];
}

interface Sent extends Framing {
  /** Index of the unchanged body in `bodies`. */
  readonly body: number;
  readonly changes: readonly Mutation[];
}
const bytesOf = ({ body, changes }: Sent) => mutateBytes(bodies[body % bodies.length] ?? bodies[0], changes);

/** Sends wrong envelopes in right HTTP requests on one connection; returns the faults of the answers, in order. */
async function sendBodies(all: readonly Sent[]): Promise<string[]> {
  const pieces = all.flatMap((one) => frame(bytesOf(one), one));
  const answers = await exchange(cluster.baseUrl, { pieces, answers: all.length });
  return all.flatMap((one, at) => {
    const [body, answer] = [bytesOf(one), answers[at]];
    const fault = answer ? faultOf(answer, body) : 'no answer';
    return fault === null ? [] : [`${JSON.stringify(body.toString('latin1')).slice(0, 500)}: ${fault}`];
  });
}

/** Sends a wrong HTTP request; returns a fault for each answer with an unexpected status or a part of the key. */
async function sendRequest(sent: Sent, pieces: readonly number[]): Promise<string[]> {
  const right = Buffer.concat(frame(bytesOf({ ...sent, changes: [] }), sent));
  const bytes = mutateBytes(right, sent.changes);
  const answers = await exchange(cluster.baseUrl, { pieces: splitBytes(bytes, pieces), answers: 3, end: true });
  return answers.flatMap(({ status, body }) => {
    const text = body.toString();
    const isKnown = status === 200 || [301, 302, 308].includes(status) || (status >= 400 && status < 500);
    const fault = isKnown && !text.includes('Internal server error') ? leakIn(text, '') : `${status} ${text}`;
    return fault === null ? [] : [`${JSON.stringify(bytes.toString('latin1')).slice(0, 700)}: ${fault}`];
  });
}

// Calls come from many addresses, because an address that sends wrong keys is slowed down.
const from = fc.noBias(fc.nat(249));
const sent = (changes: fc.Arbitrary<readonly Mutation[]>): fc.Arbitrary<Sent> =>
  fc.record({ body: fc.nat(7), changes, from, isChunked: fc.boolean(), cuts });
const someSound = sent(
  fc.oneof({ weight: 7, arbitrary: mutations }, { weight: 1, arbitrary: fc.constant<Mutation[]>([]) }),
);
const attack = fc.oneof(
  { weight: 3, arbitrary: fc.record({ bodies: fc.array(someSound, { minLength: 1, maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ request: sent(mutations), pieces: cuts }) },
);

async function expectAnswers(stream: number): Promise<void> {
  const isAnswered = fc.asyncProperty(attack, async (one) => {
    const faults = await ('bodies' in one ? sendBodies(one.bodies) : sendRequest(one.request, one.pieces));
    expect(faults).toEqual([]);
  });
  await fc.assert(isAnswered, sampled(seed, stream, rounds));
}

it(
  'A1 A2 A3 A4 A6 A7 A10 E9 any bytes are answered without leaking the key or changing the database',
  async () => {
    const before = await state();
    const started = cluster.gateways.map(({ exited }) => exited);
    await Promise.all(Array.from({ length: streams }, (_, stream) => expectAnswers(stream)));
    expect(await Promise.race([...started, Promise.resolve('alive')])).toBe('alive');
    expect((await post(cluster.baseUrl, bodies[1])).text).toContain('"error":null');
    expect(await state()).toBe(before);
    const logs = (await cluster.logs()).split('\n').filter(Boolean);
    // The log shows unknown methods, and some of the sent methods are pieces of the key.
    const bad = logs.filter((line) => !isJson(line) || leakIn(line, String(Reflect.get(JSON.parse(line), 'method'))));
    expect(bad).toEqual([]);
  },
  60_000 + rounds * 2_000,
);
