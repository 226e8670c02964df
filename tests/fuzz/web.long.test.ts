import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { sampleAddress, escaped, type AddressTools } from '../harness/sample-address.ts';
import { sampleFilling, fillForm, type Filling } from '../harness/sample-form.ts';
import { eventually } from '../harness/eventually.ts';
import { sampleHostile } from '../harness/hostile-values.ts';
import { htmlFaults } from '../harness/html-faults.ts';
import { formsOf } from '../harness/page-forms.ts';
import { parseXml } from '../harness/parse-xml.ts';
import { chosenRounds, chosenSeed, sampled, rarely } from '../harness/random.ts';
import { exchange, type RawAnswer } from '../harness/raw-http.ts';
import { makeRemote } from '../harness/remotes.ts';
import { createWebClient } from '../harness/web-client.ts';

const rounds = chosenRounds(150);
const seed = chosenSeed();
const passwords = { admin: 'secret of the first administrator', reader: 'a password of a reader' } as const;
/** The visitors, each with its own sequence; `null` is the anonymous visitor. */
const people = ['admin', 'admin', 'reader', null] as const;
const kept = ['kept-hg', 'kept-git'] as const;
const markup = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'onclick=alert(1) x='<b>"] as const;

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;
let canary: string;
let ids: AddressTools['ids'];
let shown = 0;
let taken = 0;
/** Whether somebody has taken the storage offline, so that answers may be "unavailable". */
let wasOffline = false;

beforeAll(async () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_FUZZ_ROUNDS=${rounds}`);
  const env = {
    TRUNKLINE_TRANSFER_TIMEOUT: '20',
    TRUNKLINE_ANONYMOUS_VIEWING: 'true',
    TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8',
  };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  canary = join(cluster.storageRoot, '..', 'canary');
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  for (const type of ['hg', 'git'] as const) {
    const remote = await makeRemote[type]();
    const readme = { hg: 'README.rst', git: 'README.adoc' }[type];
    const hostile = `${markup.join('\n\n')}\n\n.. raw:: html\n\n   ${markup[0]}\n\n++++\n${markup[0]}\n++++\n`;
    const files = { [readme]: hostile, 'docs/read.me': '# <script>alert(1)</script>\n', '<b>&"': 'x\n' };
    await remote.commit(files, '<script>"\u202e&');
    const args = { repo_name: `kept-${type}`, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    await admin.result('create_repo', args);
    await remote.close();
  }
  await admin.result('create_user', {
    username: 'reader',
    email: 'reader@example.com',
    password: passwords.reader,
  });
  for (const group_name of ['g1', 'g2']) await admin.result('create_repo_group', { group_name });
  await admin.result('create_user_group', { group_name: 'makers' });
  const ann = { username: 'ann', email: 'ann@example.com' };
  const { user } = await admin.result<{ user: { user_id: number } }>('create_user', ann);
  ids = ['1', String(user.user_id)];
}, 120_000);

afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

/** Signs in and returns the cookies; first removes the IP restrictions of users, which might prevent the sign-in. */
async function signIn(username: (typeof people)[number]): Promise<string> {
  if (username === null) return '';
  await sql`delete from user_ip_addresses`;
  const web = createWebClient(cluster.baseUrl);
  const { status } = await web.signIn(username, passwords[username]);
  if (status !== 302) throw new Error(`${username} cannot sign in: ${status}`);
  return [...web.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
}

/** Returns the missing headers. Answers without `date` come from Node's HTTP parser, and redirects show no page. */
function headerFaults({ headers, status }: RawAnswer): string[] {
  if (!headers.has('date') || (status >= 300 && status < 400)) return [];
  const needed = ['x-content-type-options', 'content-security-policy', 'cache-control', 'referrer-policy'];
  return needed.filter((name) => !headers.has(name)).map((name) => `no ${name}`);
}

function bodyFaults({ headers, body }: RawAnswer): string[] {
  const text = body.toString();
  const type = headers.get('content-type') ?? '';
  const isPage = type.startsWith('text/html') && headers.get('content-security-policy')?.includes("style-src 'self'");
  if (/^application\/(?:rss|atom)\+xml/.test(type)) parseXml(text);
  const inside = ['root:x:', 'node_modules', `${cluster.storageRoot}/@`, 'Internal server error', 'PostgresError'];
  const told = inside.filter((one) => text.includes(one)).map((one) => `it tells ${one}`);
  return [...told, ...(isPage ? htmlFaults(text) : [])];
}

function faultsOf(answer: RawAnswer | undefined): string[] {
  if (!answer) return ['no answer'];
  const { status, body } = answer;
  if (status >= 500) return [`status ${status}: ${body.toString().slice(-500)}`];
  try {
    return [...headerFaults(answer), ...bodyFaults(answer)];
  } catch (error) {
    return [`no XML: ${String(error)}`];
  }
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly address: string;
  readonly cookie: string;
  readonly body?: string;
  /** Part of the client address, by which wrong keys and passwords are counted and slowed down. */
  readonly from: number;
}

async function ask({ method, address, cookie, body = '', from }: Asked): Promise<RawAnswer | undefined> {
  const head = [
    `${method} ${address} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: 203.0.113.${from}`,
    `Cookie: ${cookie}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  const pieces = [`${head.join('\r\n')}\r\n\r\n${body}`];
  return (await exchange(cluster.baseUrl, { pieces, answers: 1 }))[0];
}

interface Visit {
  readonly address: string;
  readonly from: number;
  /** Forged values of the cookies for the notice and the session; null for the real session. */
  readonly forged: readonly [string, string] | null;
  /** Index of the form that is sent, modulo their number, of which the sign-out form is one if `signsOut`. */
  readonly form: number;
  readonly signsOut: boolean;
  readonly filling: Filling;
  /** Name of the field that is posted to a page without a form; null for no post. */
  readonly field: string | null;
}

function visits(): fc.Arbitrary<Visit> {
  const plain = sampleHostile(canary, ['tip', 'docs', 'g1']);
  const text = fc.oneof({ weight: 2, arbitrary: plain.text }, { weight: 1, arbitrary: fc.constantFrom(...markup) });
  const tools = { hostile: { ...plain, text }, ids, kept, victim: 'victim' };
  return fc.record({
    address: sampleAddress(tools),
    // Visits come from many addresses, because an address that sends wrong passwords is slowed down.
    from: fc.noBias(fc.nat(249)),
    forged: rarely(20, fc.tuple(text, text)),
    form: fc.noBias(fc.nat(100)),
    signsOut: rarely(20, fc.constant(true)).map((one) => one ?? false),
    filling: sampleFilling(tools.hostile),
    field: rarely(10, text),
  });
}

/** Brings storages online again; returns whether one was not. */
const bringOnline = async () =>
  (await sql`update storages set state = 'active' where state <> 'active' returning id`).length > 0;

/** Makes the sampled visits of one visitor and checks each answer. */
async function expectPages(username: (typeof people)[number], stream: number): Promise<void> {
  let session = await signIn(username);
  const look = async ({ forged, from }: Visit, method: Asked['method'], address: string, body = '') => {
    const cookie = forged ? `trunkline_notice=${escaped(forged[0])}; trunkline_session=${escaped(forged[1])}` : session;
    const answer = await ask({ method, address, cookie, body, from }).catch(() => undefined);
    if (answer?.status === 503) wasOffline ||= await bringOnline();
    const faults = answer?.status === 503 && wasOffline ? [] : faultsOf(answer);
    expect(faults, `${username} ${method} ${address} ${body.slice(0, 500)}`).toEqual([]);
    const sentAway = answer?.headers.get('location')?.startsWith('/_admin/login');
    if (sentAway && !forged) session = await signIn(username);
    if (method === 'GET' && answer?.status === 200) shown += 1;
    if (method === 'POST' && answer?.status === 303) taken += 1;
    return answer?.body.toString() ?? '';
  };
  let visited = 0;
  const isWhole = fc.asyncProperty(visits(), async (visit) => {
    visited += 1;
    if (visited % 20 === 1) await admin.call('create_repo', { repo_name: 'victim', repo_type: 'git' });
    const { address, form, signsOut, filling, field } = visit;
    const forms = formsOf(await look(visit, 'GET', address)).filter(({ isPost }) => isPost);
    const allowed = forms.filter(({ action }) => signsOut || action !== '/_admin/logout');
    const chosen = allowed[form % allowed.length];
    if (chosen) await look(visit, 'POST', chosen.action, fillForm(chosen, filling));
    else if (field !== null) await look(visit, 'POST', address, `${escaped(field)}=x&csrf_token=x`);
  });
  await fc.assert(isWhole, sampled(seed, stream, rounds));
}

it(
  'A7 D1 D2 D5 E11 any address and any form is answered by a well-formed page without code that runs',
  async () => {
    const ended = [...cluster.gateways, ...cluster.workers].map(({ exited }) => exited);
    await Promise.all(people.map(expectPages));
    console.log(`${shown} pages were shown, ${taken} forms taken`);
    expect(taken).toBeGreaterThan(0);
    expect(existsSync(canary)).toBe(false);
    expect(await Promise.race([...ended, Promise.resolve('alive')])).toBe('alive');
    const cookie = await signIn('admin');
    expect(faultsOf(await ask({ method: 'GET', address: '/kept-hg/files', cookie, from: 1 }))).toEqual([]);
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoot),
      (found) => found.length === 0,
    );
  },
  60_000 + rounds * 5_000,
);
