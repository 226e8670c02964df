import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedRequests } from '../../apps/gateway/src/wire/served-requests.ts';
import { admin, cluster, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { createWebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';
const owner = `${uniqueName('jürgen')}@example.com`;
let directory = '';
let askpass = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-address-'));
  askpass = join(directory, 'askpass');
  await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`, { mode: 0o755 });
  await admin.result('create_user', { username: owner, email: `${uniqueName('owner')}@example.com`, password });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the commands of a page by their labels. */
async function commandsOf(name: string): Promise<Record<string, string>> {
  const web = createWebClient(cluster.baseUrl);
  await web.signIn(owner, password);
  const { text } = await web.get(`/${name.split('/').map(encodeURIComponent).join('/')}`);
  const blocks = [...text.matchAll(/<pre class="copy"[^>]* aria-label="([^"]*)">([^<]*)<\/pre>/g)];
  const plain = (html: string) => html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return Object.fromEntries(blocks.map(([, label = '', lines = '']) => [label, plain(lines)]));
}

/** Runs commands of a page in a shell, with the password of the user. */
async function runShown(commands: string, cwd: string): Promise<void> {
  const words = toolCommand('TRUNKLINE_GIT_COMMAND', 'git').map((word) => `'${word}'`);
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_ASKPASS: askpass,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C.UTF-8',
  };
  await promisify(execFile)('sh', ['-e', '-c', `git() { ${words.join(' ')} "$@"; }\n${commands}`], { cwd, env });
}

describe.each(repositoryTypes)('an empty %s repository', (type) => {
  const name = `${uniqueName('группа')}/${uniqueName(`grün.${type}`)}`;

  beforeAll(() => admin.result('create_repo', { repo_name: name, repo_type: type, private: true, owner }));

  it('has an address for clients, without a login', async () => {
    const { clone_url: url } = await admin.result<{ clone_url: string }>('get_repo', { repoid: name });
    expect(url).toBe(`${cluster.baseUrl}/${name.split('/').map(encodeURIComponent).join('/')}`);
  });

  it('shows the commands of what is served', async () => {
    const { clone, push } = servedRequests[type];
    expect(Object.keys(await commandsOf(name))).toEqual([
      ...(clone ? ['Command to clone'] : []),
      ...(push ? ['Commands to push files', 'Commands to push a repository'] : []),
    ]);
  });
});

it('D5 a git repository is cloned by the command on its page, whatever letters the names have', async () => {
  const segment = uniqueName('grün.ß');
  const name = `${uniqueName('группа')}/${segment}`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', private: true, owner });
  const { 'Command to clone': command = '' } = await commandsOf(name);
  expect(command).toContain(`${encodeURIComponent(owner)}@`);
  await runShown(command, directory);
  expect(await readdir(join(directory, segment))).toEqual(['.git']);
});
