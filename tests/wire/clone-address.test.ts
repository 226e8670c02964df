import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedRequests } from '../../apps/gateway/src/web/repository/summary/client-commands.ts';
import { admin, cluster, repositoryTypes, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { createWebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';
const owners = { git: `${uniqueName('jürgen')}@example.com`, hg: `${uniqueName('änne')}@example.com` };
/** Mercurial crashes when the name in a login is not ASCII, before it sends anything. */
const logins = { git: encodeURIComponent(owners.git), hg: 'api-key' };
let directory = '';
let [askpass, hgrc] = ['', ''];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-address-'));
  askpass = join(directory, 'askpass');
  await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`, { mode: 0o755 });
  for (const username of Object.values(owners)) {
    await admin.result('create_user', { username, email: `${uniqueName('owner')}@example.com`, password });
  }
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: owners.hg });
  hgrc = join(directory, 'hgrc');
  const login = Object.entries({ prefix: '*', schemes: 'http', username: logins.hg, password: key });
  const lines = login.map(([name, value]) => `x.${name} = ${value}`);
  await writeFile(hgrc, `[ui]\nusername = Ann\n[auth]\n${lines.join('\n')}\n`);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the commands of a page by their labels. */
async function commandsOf(type: RepositoryType, name: string): Promise<Record<string, string>> {
  const web = createWebClient(cluster.baseUrl);
  await web.signIn(owners[type], password);
  const { text } = await web.get(`/${name.split('/').map(encodeURIComponent).join('/')}`);
  const blocks = [...text.matchAll(/<pre class="copy"[^>]* aria-label="([^"]*)">([^<]*)<\/pre>/g)];
  const plain = (html: string) => html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return Object.fromEntries(blocks.map(([, label = '', lines = '']) => [label, plain(lines)]));
}

/** Runs commands of a page in a shell, with the password of the user. */
async function runShown(commands: string, cwd: string): Promise<void> {
  const words = (variable: string, tool: string) =>
    toolCommand(variable, tool)
      .map((word) => `'${word}'`)
      .join(' ');
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_ASKPASS: askpass,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
    HGRCPATH: hgrc,
    HGPLAIN: '1',
    HGENCODING: 'utf-8',
    LC_ALL: 'C.UTF-8',
  };
  const tools = [
    `git() { ${words('TRUNKLINE_GIT_COMMAND', 'git')} "$@"; }`,
    `hg() { ${words('TRUNKLINE_HG_COMMAND', 'hg')} "$@"; }`,
  ];
  await promisify(execFile)('sh', ['-e', '-c', [...tools, commands].join('\n')], { cwd, env });
}

const makeOf = (type: RepositoryType, name: string) =>
  admin.result('create_repo', { repo_name: name, repo_type: type, private: true, owner: owners[type] });

describe.each(repositoryTypes)('an empty %s repository', (type) => {
  const name = `${uniqueName('группа')}/${uniqueName(`grün.${type}`)}`;

  beforeAll(() => makeOf(type, name));

  it('has an address for clients, without a login', async () => {
    const { clone_url: url } = await admin.result<{ clone_url: string }>('get_repo', { repoid: name });
    expect(url).toBe(`${cluster.baseUrl}/${name.split('/').map(encodeURIComponent).join('/')}`);
  });

  it('shows the commands of what is served', async () => {
    const { clone, push } = servedRequests[type];
    expect(Object.keys(await commandsOf(type, name))).toEqual([
      ...(clone ? ['Command to clone'] : []),
      ...(push ? ['Commands to push files', 'Commands to push a repository'] : []),
    ]);
  });
});

it.each(repositoryTypes)(
  'D5 a %s repository is cloned by the command on its page, whatever letters the names have',
  async (type) => {
    const segment = uniqueName('grün.ß');
    const name = `${uniqueName('группа')}/${segment}`;
    await makeOf(type, name);
    const { 'Command to clone': command = '' } = await commandsOf(type, name);
    expect(command).toContain(`${logins[type]}@`);
    await runShown(command, directory);
    expect(await readdir(join(directory, segment))).toEqual([`.${type}`]);
  },
);

it.each(repositoryTypes)(
  'a %s repository called like a page is pushed to and cloned as its page says',
  async (type) => {
    const name = `${uniqueName('group')}/files`;
    await makeOf(type, name);
    const { 'Command to clone': clone = '', 'Commands to push files': push = '' } = await commandsOf(type, name);
    const work = await mkdtemp(join(directory, 'work-'));
    await mkdir(join(work, 'pushed'));
    await writeFile(join(work, 'pushed/one'), '1');
    await runShown(push, join(work, 'pushed'));
    await runShown(clone, work);
    expect((await readdir(join(work, 'files'))).toSorted()).toEqual([`.${type}`, 'one']);
  },
);

it('hg reaches repositories that are called like other pages', async () => {
  const group = uniqueName('group');
  const names = ['tools/archive', 'settings', 'settings/delete', 'tags'].map(
    (path) => `${group}-${path.length}/${path}`,
  );
  for (const name of names) await makeOf('hg', name);
  const clones = names.map((name, at) => `hg clone -q ${cluster.baseUrl}/${name} called-${at}`);
  await runShown(clones.join('\n'), directory);
  expect(await readdir(directory)).toEqual(expect.arrayContaining(names.map((_name, at) => `called-${at}`)));
});

it.each(repositoryTypes)('a %s client clones, pushes and pulls by an address with doubled slashes', async (type) => {
  const name = `${uniqueName('group')}/${uniqueName(type)}`;
  await makeOf(type, name);
  const work = await mkdtemp(join(directory, 'work-'));
  const url = `${cluster.baseUrl.replace('://', '://api-key:$KEY@')}//${encodeURI(name).replace('/', '//')}`;
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: owners[type] });
  const login = url.replace('$KEY', key);
  const commands = {
    git: ['git add .', 'git commit -q -m x', 'git push -q origin HEAD', 'git pull -q'],
    hg: ['hg commit -q -A -m x', 'hg push -q', 'hg pull -q'],
  };
  await runShown(`${type} clone -q ${login} one; cd one; echo 1 > file; ${commands[type].join('; ')}`, work);
  await runShown(`${type} clone -q ${login}// two`, work);
  expect((await readdir(join(work, 'two'))).toSorted()).toEqual([`.${type}`, 'file']);
});
