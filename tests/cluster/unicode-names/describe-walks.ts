import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@trunkline/contracts';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { exampleScenario } from '../../docs/example-scenario.ts';
import { createClient, type Client } from '../../harness/client.ts';
import { startCluster, type Cluster } from '../../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../../harness/remotes.ts';
import { NamesOfClass, type NameClass } from './names-of-class.ts';
import { makePerson } from './people.ts';
import { walkMethods } from './walk-methods.ts';
import { walkPages } from './walk-pages.ts';
import { walkVcs, type VcsWalk } from './walk-vcs.ts';

/** Expects that gateway and worker are those of the beginning, and have logged no error and no broken name. */
async function expectUnharmed(cluster: Cluster, names: NamesOfClass): Promise<void> {
  const ended = [...cluster.gateways, ...cluster.workers].map(({ exited }) => exited);
  expect(await Promise.race([...ended, Promise.resolve('alive')])).toBe('alive');
  const logged = await cluster.logs();
  expect(logged.split('\n').filter((line) => /"level":(?:50|60|"error"|"fatal")/.test(line))).toEqual([]);
  expect(names.brokenIn(logged)).toEqual([]);
}

/** Makes users, a user group and a repository group whose names are of a class, for clients and pages. */
async function prepareWalk(cluster: Cluster, admin: Client, nameClass: NameClass, directory: string): Promise<VcsWalk> {
  const names = new NamesOfClass(nameClass);
  const make = (word: string) => makePerson(admin, cluster.baseUrl, names, word);
  const [owner, reader] = [await make('owner'), await make('reader')];
  await admin.result('create_user_group', { group_name: names.of('team') });
  await admin.result('add_user_to_user_group', { usersgroupid: names.of('team'), userid: owner.username });
  await admin.result('create_repo_group', { group_name: names.of('group'), owner: owner.username });
  return { cluster, admin, names, directory: await mkdtemp(join(directory, 'walk-')), owner, reader };
}

/** Describes, for each class, a walk through every method, every page and what every client sends. */
export function describeWalks(nameClasses: readonly NameClass[]): void {
  // Each test runs many clients, beside whatever else the machine does.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

  let cluster: Cluster;
  let admin: Client;
  let remote: Remote;
  let directory = '';

  beforeAll(async () => {
    const env = { TRUNKLINE_FORK_WAIT: '25', TRUNKLINE_LOG_LEVEL: 'info' };
    cluster = await startCluster({
      postgresUrl: inject('postgresUrl'),
      gateways: 1,
      workers: 1,
      storages: ['second'],
      env,
    });
    admin = createClient(cluster.baseUrl, cluster.adminKey);
    directory = await mkdtemp(join(tmpdir(), 'trunkline-names-'));
    remote = await makeGitRemote();
    await remote.commit({ 'README.md': 'A compiler.\n' });
  });
  afterAll(async () => {
    await remote.close();
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('all methods are walked', () => {
    const walked = new Set(exampleScenario.map(([method]) => method));
    expect([...walked].toSorted()).toEqual(Object.keys(methods).toSorted());
  });

  describe.each(nameClasses)('names with characters of $title', (nameClass) => {
    it('are what every method takes and returns', async () => {
      const names = new NamesOfClass(nameClass);
      await walkMethods({ client: admin, names, remoteUrl: remote.url }, false);
      expect(names.unseen).toEqual([]);
      const refused = new NamesOfClass(nameClass);
      const { client } = await makePerson(admin, cluster.baseUrl, refused, 'stranger');
      await walkMethods({ client, names: refused, remoteUrl: remote.url }, true);
      await expectUnharmed(cluster, names);
    });

    it('are what every page shows and every client sends', async () => {
      const walk = await prepareWalk(cluster, admin, nameClass, directory);
      await walkPages(walk, { git: await walkVcs(walk, 'git'), hg: await walkVcs(walk, 'hg') });
      expect(walk.names.unseen).toEqual([]);
      await expectUnharmed(cluster, walk.names);
    });
  });
}
