import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import { writeRuntimeFiles } from './runtime-files.ts';

const run = promisify(execFile);
let directory = '';
let files: RuntimeFiles;

beforeAll(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'trunkline-runtime-')), `it's a "dir"`);
  await mkdir(join(directory, 'bin'), { recursive: true });
  await writeFile(join(directory, 'bin/ssh'), `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
  files = await writeRuntimeFiles(directory);
});
afterAll(() => rm(join(directory, '..'), { recursive: true }));

async function ssh(env: Record<string, string>, ...args: string[]): Promise<string[]> {
  const all = {
    PATH: `${directory}/bin:/usr/bin:/bin`,
    TRUNKLINE_SSH_KEY: '/keys/a key',
    TRUNKLINE_SSH_KNOWN_HOSTS: '/keys/known',
    ...env,
  };
  return (await run(files.ssh, args, { env: all })).stdout.trimEnd().split('\n');
}

it('only the worker’s own user can read and run the files', async () => {
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  const {
    gitConfig,
    hgEgress,
    hgChanges,
    hgLastChanges,
    hgDiffs,
    hgPaths,
    hgRst,
    hgStored,
    hgServe,
    hgTemplate,
    ...others
  } = files;
  const { gitCommonDir, hgSockets, failingSignerDir, ...programs } = others;
  expect(dirname(hgTemplate)).toBe(directory);
  for (const file of Object.values(programs)) expect((await stat(file)).mode & 0o777).toBe(0o500);
  for (const file of [gitConfig, hgEgress, hgChanges, hgLastChanges, hgDiffs, hgPaths, hgRst, hgStored, hgServe])
    expect((await stat(file)).mode & 0o777).toBe(0o400);
  for (const inner of [gitCommonDir, hgSockets, failingSignerDir]) expect((await stat(inner)).mode & 0o777).toBe(0o700);
});

it('each file that runs inside Mercurial is a file of its own, whose head has the licence of Mercurial', async () => {
  const source = new URL('../../../mercurial/', import.meta.url);
  const names = (await readdir(source)).filter((name) => name.endsWith('.py'));
  const written = (await readdir(directory)).filter((name) => name.endsWith('.py'));
  expect(written.toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    const text = await readFile(new URL(name, source), 'utf8');
    expect(text.split('\n')[0]).toBe('# SPDX-License-Identifier: GPL-2.0-or-later');
    expect(await readFile(join(directory, name), 'utf8')).toBe(text);
  }
});

it('ssh gets the operator’s key, the egress proxy and the remote’s user, then git’s own arguments', async () => {
  const words = await ssh({ TRUNKLINE_SSH_USERNAME: 'git' }, '-p', '2222', 'host.example', `git-upload-pack '/a b'`);
  expect(words).toEqual(
    expect.arrayContaining(['/keys/a key', 'UserKnownHostsFile="/keys/known"', 'StrictHostKeyChecking=yes']),
  );
  expect(words.slice(-6)).toEqual(['-l', 'git', '-p', '2222', 'host.example', `git-upload-pack '/a b'`]);
  const proxy = words.find((word) => word.startsWith('ProxyCommand='))?.slice('ProxyCommand='.length) ?? '';
  const { stdout } = await run('sh', ['-c', `printf '%s\\n' ${proxy}`]);
  expect(stdout).toBe(`${files.connect}\n%h\n%p\n`);
});

it('ssh gets an IPv6 address without the brackets that Mercurial leaves around it, and all else unchanged', async () => {
  const words = await ssh({ TRUNKLINE_SSH_USERNAME: '' }, '-p', '22', '[2001:db8::1]', `hg -R '[a] b' serve`);
  expect(words.slice(-4)).toEqual(['-p', '22', '2001:db8::1', `hg -R '[a] b' serve`]);
});

it('ssh gets no user option when the remote has no user', async () => {
  const words = await ssh({ TRUNKLINE_SSH_USERNAME: '' }, 'host.example', 'x');
  expect(words).not.toContain('-l');
});

it('D10 the credential helper prints the login only when git asks for one', async () => {
  const options = { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000, stdoutBytesMax: 1_000 };
  const asked = async (actions: string, secret?: string) => {
    const script = `for action in ${actions}; do '${files.login.replaceAll("'", `'\\''`)}' $action; done`;
    return (await runCommand(['sh', '-c', script], { ...options, secret })).stdout.toString();
  };
  const answer = 'username= an n\npassword=%s\\n$x \n';
  expect(await asked('get get', ' an n\n%s\\n$x \n')).toBe(`${answer}${answer}`);
  expect(await asked('store erase', 'ann\npw\n')).toBe('');
  expect(await asked('get')).toBe('');
});
