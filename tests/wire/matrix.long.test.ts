import * as fs from 'node:fs';
import * as git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { describe, vi } from 'vitest';
import { driverClient, type GitClient, gitClient } from './matrix/git-client.ts';
import { byForm } from '../harness/long-form.ts';
import { testGitLogins, testGitProgram } from './matrix/git-program-scenarios.ts';
import { testGitClient } from './matrix/git-scenarios.ts';
import { testHgPulls, testHgPushes } from './matrix/hg-scenarios.ts';
import { useMatrixCluster } from './matrix/matrix-cluster.ts';
import { drivers, gitPrograms, hgPrograms, type Program } from './matrix/programs.ts';

/** The client takes a login from a function, and not from the URL. */
function withLogin(address: string) {
  const url = new URL(address);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  return { url: url.href, onAuth: () => ({ username, password }) };
}

const cache = {};

/** isomorphic-git, which pushes one reference at a time. */
const isomorphicClient: GitClient = {
  name: 'isomorphic-git',
  depths: [1],
  pushesMany: false,
  async clone(address, dir, depth) {
    await git.clone({ fs, http, dir, ...withLogin(address), ...(depth !== undefined && { depth }) });
  },
  async fetch(address, dir) {
    await git.fetch({ fs, http, dir, remote: 'origin', tags: true, ...withLogin(address) });
  },
  async push(address, dir, changes) {
    for (const change of changes) {
      const [from = '', to = ''] = change.replace('+', '').split(':');
      const names = from === '' ? { ref: to, delete: true } : { ref: from, remoteRef: to };
      await git.push({ fs, http, dir, cache, force: change.startsWith('+'), ...names, ...withLogin(address) });
    }
  },
};

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: byForm(300_000, 900_000) });

const matrix = useMatrixCluster();

/** Other tests of this directory show more of the machine's own programs. */
const atLength = ({ own }: Program) => byForm(!own, true);

describe.each([...gitPrograms.map(gitClient), isomorphicClient, ...drivers.map(driverClient)])('$name', (client) => {
  testGitClient(client, matrix);
});

describe.each(gitPrograms)('$name', (program) => {
  testGitLogins(program, matrix);
});
describe.each(gitPrograms.filter(atLength))('$name', (program) => {
  testGitProgram(program, matrix);
});

describe.each(hgPrograms)('$name', (program) => {
  testHgPulls(program, matrix);
});
describe.each(hgPrograms.filter(atLength))('$name', (program) => {
  testHgPushes(program, matrix);
});
