import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate } from '@trunkline/db';
import { verifyPassword } from '@trunkline/runtime';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createClient } from '../harness/client.ts';
import { admin, cluster, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';
import { openTestDatabase } from '../harness/test-database.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

const env = { TRUNKLINE_DATABASE_URL: cluster.database.workerUrl, TRUNKLINE_SECRET: cluster.secret };
const script = '/usr/bin/script';
if (!existsSync(script)) console.warn(`Passwords on a terminal are not tested: ${script}, of util-linux, is missing.`);
const keyPattern = /[0-9a-f]{40}/g;

const lastEntryOf = async (argument: string, value: string) => {
  const [row] = await sql`select actor, method, args, outcome from audit_log
    where args ->> ${argument} = ${value} and actor = 'trunklinectl' order by id desc limit 1`;
  return row;
};

describe('create-admin', () => {
  it('creates an administrator, prints the key once and the password never, and leaves a record', async () => {
    const username = uniqueName('root');
    const ran = await trunklinectl(['create-admin', username, '--password'], { env, input: 'a password' });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const [key, ...more] = ran.stdout.match(keyPattern) ?? [];
    expect(more).toEqual([]);
    expect(ran.stdout).not.toContain('a password');
    await createClient(cluster.baseUrl, key ?? '').result('get_users', {});

    const [row] = await sql<{ hash: string }[]>`select password_hash as hash from users where username = ${username}`;
    expect(await verifyPassword(row?.hash ?? null, 'a password')).toBe(true);
    const args = { username, email: `${username}@localhost`, admin: true, password: '*****' };
    expect(await lastEntryOf('username', username)).toEqual({
      actor: 'trunklinectl',
      method: 'create_user',
      args,
      outcome: 'succeeded',
    });
  });

  it.each([
    [['admin'], 1, 'user `admin` already exists\n'],
    [['a b'], 2, 'Invalid value for `username`: '],
    [['root', '--email', 'nowhere'], 2, 'Invalid value for `email`: must be an e-mail address\n'],
    [['root', '--password'], 2, 'the password must be at least 8 characters\n'],
    [['default'], 2, 'Invalid value for `username`: it is taken\n'],
  ])('refuses %j', async (words, exitCode, text) => {
    const ran = await trunklinectl(['create-admin', ...words], { env });
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr).toContain(text);
  });

  it('refuses a secret under which the key would never be found, and a role without the rights', async () => {
    const words = ['create-admin', uniqueName('root')];
    const stranger = await trunklinectl(words, { env: { ...env, TRUNKLINE_SECRET: 'x'.repeat(32) } });
    expect(stranger).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('neither TRUNKLINE_SECRET') });
    const gateway = { ...env, TRUNKLINE_DATABASE_URL: cluster.database.gatewayUrl };
    const asGateway = await trunklinectl(words, { env: gateway });
    expect(asGateway).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('use the settings of a worker') });
  });
});

describe('reset-key', () => {
  it('replaces the key of a user', async () => {
    const user = await makeUser();
    const ran = await trunklinectl(['--json', 'reset-key', user.username], { env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const { api_key: key } = JSON.parse(ran.stdout) as { api_key: string };
    expect(await createClient(cluster.baseUrl, key).result('get_user', {})).toMatchObject({ username: user.username });
    await expect(user.client.error('get_user', {})).resolves.toContain('Invalid API');
    expect(await lastEntryOf('userid', user.username)).toMatchObject({ method: 'reset_api_key' });
  });

  it('refuses a user who does not exist', async () => {
    const ran = await trunklinectl(['reset-key', 'nobody-of-this-name'], { env });
    expect(ran).toEqual({ exitCode: 1, stdout: '', stderr: 'user `nobody-of-this-name` does not exist\n' });
  });
});

describe.each([['create-admin'], ['reset-key']])('%s', (command) => {
  it('refuses a database whose schema this release cannot use', async () => {
    const database = await openTestDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`);
    const own = { TRUNKLINE_DATABASE_URL: database.workerUrl, TRUNKLINE_SECRET: 's'.repeat(32) };
    const ran = await trunklinectl([command, 'root'], { env: own });
    const lacking = 'the database lacks the schema of this release: run `trunklinectl migrate` before\n';
    expect(ran).toEqual({ exitCode: 1, stdout: '', stderr: lacking });

    await migrate(database.ownerUrl);
    const client = postgres(database.url, { max: 1 });
    onTestFinished(() => client.end());
    await client`insert into drizzle.migrations (hash, created_at, release)
      select 'later', max(created_at) + 1, max(release) + 2 from drizzle.migrations`;
    const later = await trunklinectl([command, 'root'], { env: own });
    expect(later).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('start a newer release') });
  });
});

describe('unlock-addresses', () => {
  it("adds a network to a user's list", async () => {
    const user = await makeUser();
    await admin.result('add_user_ip', { userid: user.username, ip: '192.0.2.0/24' });
    await user.client.error('get_user', {});
    const ran = await trunklinectl(['unlock-addresses', user.username, '--allow', '127.0.0.1/8'], { env });
    expect(ran).toEqual({
      exitCode: 0,
      stdout: `user \`${user.username}\` may call from \`127.0.0.0/8\`\n`,
      stderr: '',
    });
    await user.client.result('get_user', {});
    expect(await lastEntryOf('userid', user.username)).toMatchObject({ method: 'add_user_ip' });
  });

  it.each([
    [[], 'say --allow NETWORK or --all\n'],
    [['--allow', '300.0.0.0/8'], 'Invalid value for `--allow`: must be an address or a network\n'],
  ])('refuses %j', async (words, stderr) => {
    const ran = await trunklinectl(['unlock-addresses', 'admin', ...words], { env });
    expect(ran).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});

describe('a new database', () => {
  it('is migrated, gets its first administrator, and loses lists of addresses', async () => {
    const database = await openTestDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`);
    const own = {
      TRUNKLINE_DATABASE_URL: database.workerUrl,
      TRUNKLINE_MIGRATE_URL: database.ownerUrl,
      TRUNKLINE_SECRET: 's'.repeat(32),
    };
    const migrated = await trunklinectl(['--json', 'migrate'], { env: own });
    expect(migrated).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(migrated.stdout)).toEqual({
      roles: { gateway: expect.any(String), worker: expect.any(String) },
    });
    const created = await trunklinectl(['--json', 'create-admin', 'root'], { env: own });
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(created.stdout)).toEqual({
      user_id: 1,
      username: 'root',
      api_key: expect.stringMatching(keyPattern),
    });

    const owner = postgres(database.ownerUrl, { max: 1 });
    onTestFinished(() => owner.end());
    await owner`insert into users (username, username_key) values ('default', 'default')`;
    await owner`insert into user_ip_addresses (user_id, ip_addr)
      select id, '192.0.2.' || id || '/32' from users where username in ('root', 'default')`;
    const ran = await trunklinectl(['--json', 'unlock-addresses', 'root', '--all'], { env: own });
    expect(JSON.parse(ran.stdout)).toEqual({
      username: 'root',
      removed: ['192.0.2.1/32'],
      removed_for_everyone: ['192.0.2.2/32'],
    });
    expect(await owner`select from user_ip_addresses`).toHaveLength(0);
    expect(await owner`select from audit_log where method = 'remove_user_ip'`).toHaveLength(2);
  });
});

describe('the program', () => {
  const program = fileURLToPath(new URL('../../apps/trunklinectl/bin/trunklinectl.js', import.meta.url));

  async function runProgram(words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const running = promisify(execFile)(process.execPath, [program, ...words], { env: { PATH: process.env['PATH'] } });
    return running.then(
      (ended) => ({ code: 0, ...ended }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }

  it('takes the settings of a data directory of npm start', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'trunklinectl-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const words = ['--data-dir', directory, 'reset-key', 'nobody-of-this-name'];
    const missing = await runProgram(words);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no `npm start` runs') });
    const urls = { databaseUrl: cluster.database.ownerUrl, natsUrl: cluster.bus.url };
    const stack = { ...urls, storages: cluster.storageRoots, settings: {} };
    await writeFile(join(directory, 'stack.json'), JSON.stringify(stack));
    await writeFile(join(directory, 'secret'), cluster.secret);
    const ran = await runProgram(words);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: 'user `nobody-of-this-name` does not exist\n' });
  });

  it.runIf(existsSync(script))('asks for a password twice on a terminal, and shows none', async () => {
    const username = uniqueName('root');
    const command = [process.execPath, program, 'create-admin', username, '--password'].map((word) => `'${word}'`);
    const child = spawn(script, ['-qec', command.join(' '), '/dev/null'], {
      env: { ...env, PATH: process.env['PATH'], SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    const asked = ['Again: ', 'Password: '];
    child.stdout.on('data', (piece: Buffer) => {
      shown += piece.toString();
      if (asked.length === 0 || !shown.includes(asked.at(-1) ?? '')) return;
      asked.pop();
      child.stdin.write('typed password\n');
    });
    const [code]: unknown[] = await once(child, 'close');
    expect([code, shown]).toEqual([0, expect.stringContaining(`created the administrator \`${username}\``)]);
    expect(shown).not.toContain('typed');
    const [row] = await sql<{ hash: string }[]>`select password_hash as hash from users where username = ${username}`;
    expect(await verifyPassword(row?.hash ?? null, 'typed password')).toBe(true);
  });

  it.each([
    [['create-admin', 'root'], 2, 'TRUNKLINE_DATABASE_URL must be set; TRUNKLINE_SECRET must be set\n'],
    [['create-amdin', 'root'], 2, "unknown command 'create-amdin'"],
    [[], 2, 'name a command'],
  ])('tells what is wrong with %j', async (words, exitCode, text) => {
    const ran = await trunklinectl(words, { env: {} });
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr).toContain(text);
  });

  it('tells that the database does not answer, without its password', async () => {
    const url = 'postgres://worker:hidden@127.0.0.1:1/trunkline';
    const ran = await trunklinectl(['reset-key', 'admin'], { env: { ...env, TRUNKLINE_DATABASE_URL: url } });
    expect(ran).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('The database does not answer') });
    expect(ran.stderr).not.toContain('hidden');
  });

  it('tells that the bus does not answer', async () => {
    const own = { ...env, TRUNKLINE_NATS_URL: 'nats://gateway:hidden@127.0.0.1:1' };
    const ran = await trunklinectl(['status'], { env: own });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringMatching(/^\S.*\n$/) });
    expect(ran.stderr).not.toContain('hidden');
  });

  it('lists its commands, and describes each', async () => {
    const general = await trunklinectl(['--help'], { env: {} });
    expect(general).toMatchObject({ exitCode: 0, stderr: '' });
    expect(general.stdout).toContain('create-admin');
    const one = await trunklinectl(['create-admin', '--help'], { env: {} });
    expect(one.stdout).toContain('--email <ADDRESS>');
  });

  it('completes command lines in bash', async () => {
    const { stdout: script } = await trunklinectl(['completion', 'bash'], { env: {} });
    const complete = (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(trunklinectl ${line}) COMP_CWORD=${words.length}; _trunklinectl; echo "\${COMPREPLY[*]}"`;
    };
    const lines = [complete('create'), complete('--data-dir', 'x', 'create-admin', '--'), complete('completion', 'f')];
    const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${lines.join('\n')}`]);
    expect(stdout.split('\n')).toEqual(['create-admin', '--email --password', 'fish', '']);
  });
});
