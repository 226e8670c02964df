import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roleNames } from '@trunkline/db';
import postgres from 'postgres';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyPrograms } from '../../infra/local/src/app/open-programs.ts';
import { createClient } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { makeFormerDataDir, type FormerDataDir } from '../harness/former-data-dir.ts';

const bootstrap = fileURLToPath(new URL('../../infra/local/bootstrap.mjs', import.meta.url));
const Stack = v.object({
  baseUrl: v.string(),
  databaseUrl: v.string(),
  adminApiKey: v.string(),
  natsUrl: v.string(),
  processes: v.array(v.object({ role: v.string(), pid: v.number() })),
});
const isRoot = process.geteuid?.() === 0;

let directory: string;
let dataDir: string;
let former: FormerDataDir;
let supervisor: ChildProcess;
let output = '';
let stack: v.InferOutput<typeof Stack>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-former-'));
  await chmod(directory, 0o755);
  dataDir = join(directory, 'data');
  former = await makeFormerDataDir(dataDir);
  const env = { ...process.env, TRUNKLINE_DATA_DIR: dataDir, TRUNKLINE_PORT: '0', TRUNKLINE_WORKERS: '1' };
  supervisor = spawn(process.execPath, [bootstrap, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [supervisor.stdout, supervisor.stderr]) stream?.on('data', (bytes) => (output += String(bytes)));
  const written = () => readFile(join(dataDir, 'stack.json'), 'utf8').catch(() => null);
  const text = await eventually(written, (found) => found !== null || supervisor.exitCode !== null, 120);
  if (text === null) throw new Error(output);
  stack = v.parse(Stack, JSON.parse(text));
}, 240_000);
afterAll(async () => {
  if (supervisor.exitCode === null) {
    const exited = once(supervisor, 'exit');
    supervisor.kill('SIGTERM');
    await exited;
  }
  await rm(directory, { recursive: true, force: true });
}, 120_000);

async function readLogs(): Promise<string> {
  const files = await readdir(join(dataDir, 'logs'));
  return (await Promise.all(files.map((name) => readFile(join(dataDir, 'logs', name), 'utf8')))).join('');
}

it('the administrator’s key, and what lies in the storage, are those of before', async () => {
  const admin = createClient(stack.baseUrl, former.adminKey);
  expect(stack.adminApiKey).toBe(former.adminKey);
  expect(await admin.result('rescan_repos')).toMatchObject({ added: [former.repository] });
  await admin.result('create_repo', { repo_name: 'team/new', repo_type: 'hg' });
  expect(await admin.result('get_repo', { repoid: 'team/new' })).toMatchObject({ repo_type: 'hg' });
});

it('stack.json names an administrator who can sign in, also when that becomes another one', async () => {
  const admin = createClient(stack.baseUrl, former.adminKey);
  await admin.result('create_user', { username: 'second', email: 'second@example.com', admin: true });
  const user = v.parse(v.object({ api_key: v.string() }), await admin.result('get_user', { userid: 'second' }));
  const second = createClient(stack.baseUrl, user.api_key);
  const shown = async () => v.parse(Stack, JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')));
  const keyBecomes = (key: string) =>
    eventually(
      async () => (await shown()).adminApiKey,
      (found) => found === key,
      60,
    );
  await second.result('update_user', { userid: 'admin', active: false });
  try {
    expect(await keyBecomes(user.api_key)).toBe(user.api_key);
  } finally {
    await second.result('update_user', { userid: 'admin', active: true });
  }
  expect(await keyBecomes(former.adminKey)).toBe(former.adminKey);
});

it('E16 the tables are the owner’s, and the roles of gateways and workers have no further rights', async () => {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const owners = await sql`select distinct tableowner from pg_tables where schemaname in ('public', 'drizzle')`;
    expect(owners).toEqual([{ tableowner: roleNames.owner }]);
    const rights = await sql`select rolname from pg_roles
      where rolname like 'trunkline_%' and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)`;
    expect(rights).toEqual([]);
    const connected = await sql<{ role: string }[]>`
      select distinct usename as role from pg_stat_activity where application_name ~ '^(gateway|vcs-worker) '`;
    expect(connected.map(({ role }) => role).toSorted()).toEqual([roleNames.gateway, roleNames.worker]);
  } finally {
    await sql.end();
  }
});

it('E16 each user and role has a password of its own, in a file of the supervisor alone', async () => {
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('-password')).toSorted();
  expect(files).toEqual([
    'nats-gateway-password',
    'nats-operator-password',
    'nats-worker-password',
    'postgres-gateway-password',
    'postgres-owner-password',
    'postgres-password',
    'postgres-worker-password',
  ]);
  const passwords = await Promise.all(files.map((name) => readFile(join(dataDir, name), 'utf8')));
  expect(new Set(passwords).size).toBe(files.length);
  const modes = await Promise.all(files.map(async (name) => (await stat(join(dataDir, name))).mode & 0o777));
  expect(new Set(modes)).toEqual(new Set([0o600]));
  const logs = await readLogs();
  for (const password of passwords) expect(logs + output).not.toContain(password.trim());
});

it('E16 started by root, gateway, worker and Postgres run as users of their own, who cannot read the secrets', async () => {
  const userOf = async (role: string) => {
    const pid = stack.processes.find((one) => one.role === role)?.pid ?? 0;
    return (await stat(`/proc/${pid}`)).uid;
  };
  const users = await Promise.all(['gateway', 'vcs-worker', 'postgres', 'supervisor'].map(userOf));
  expect(new Set(users).size).toBe(isRoot ? 4 : 1);
  const [, worker = -1] = users;
  expect((await stat(join(dataDir, 'repositories', former.repository)).catch(() => null))?.uid ?? worker).toBe(worker);
  expect((await stat(join(dataDir, 'repositories'))).uid).toBe(worker);
});

it('a program runs from a copy, for a checkout that others cannot enter', { timeout: 300_000 }, async () => {
  const target = join(directory, 'programs');
  copyPrograms(fileURLToPath(new URL('../..', import.meta.url)), ['apps/vcs-worker'], target);
  const entry = join(target, 'apps/vcs-worker/dist/main.js');
  const said = await new Promise((resolve) => {
    execFile(process.execPath, [entry], { env: {} }, (_error, _output, text) => resolve(text));
  });
  // All modules were found.
  expect(said).toContain('TRUNKLINE_DATABASE_URL');
});
