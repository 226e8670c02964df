import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cluster, makeRepository, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { git, hg, runGit, runHg } from './vcs-cluster.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 120_000 });

let directory = '';
let ann: TestUser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-other-system-'));
  ann = await makeUser();
  await git(directory, 'init', '-q', 'git');
  await git(join(directory, 'git'), '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-m', 'x');
  await hg(directory, 'init', 'hg');
  await hg(join(directory, 'hg'), 'commit', '--config=ui.allowemptycommit=True', '-m', 'x');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const urlOf = (name: string) => `http://api-key:${ann.client.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;

/** What clients do with the address of a repository; each is refused. */
const commands = {
  git: (url: string) => [
    ['ls-remote', url],
    ['clone', url, 'copy'],
    ['push', url, 'HEAD:refs/heads/x'],
  ],
  hg: (url: string) => [
    ['identify', url],
    ['clone', url, 'copy'],
    ['push', url],
  ],
};

describe.each([
  ['git', 'hg', 'a Mercurial'],
  ['hg', 'git', 'a git'],
] as const)('a client of %s', (client, system, called) => {
  const work = () => join(directory, client);
  const run = { git: runGit, hg: runHg }[client];

  it('prints that a repository is of the other system to who may read it', async () => {
    const name = await makeRepository(system);
    for (const args of commands[client](urlOf(name))) {
      const { exitCode, stderr } = await run(work(), args);
      expect([args[0], exitCode === 0]).toEqual([args[0], false]);
      // Mercurial shows the status line, which is ASCII.
      const shown = client === 'hg' ? encodeURI(name) : name;
      expect(stderr).toContain(`\`${shown}\` is ${called} repository, use ${system} instead of ${client}`);
    }
  });

  it('B10 prints the same of a repository that may not be read as of none', async () => {
    const [hidden, missing] = [await makeRepository(system, { private: true }), uniqueName('missing')];
    const [ofHidden, ofMissing] = [commands[client](urlOf(hidden)), commands[client](urlOf(missing))];
    for (const [at, args] of ofHidden.entries()) {
      const [told, expected] = [await run(work(), args), await run(work(), ofMissing[at] ?? [])];
      expect(told.stderr.replaceAll(hidden, missing)).toBe(expected.stderr);
      expect(told.exitCode).toBe(expected.exitCode);
      expect(told.stderr).not.toMatch(/Mercurial|a git/);
    }
  });
});
