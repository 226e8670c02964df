import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as contracts from '@trunkline/contracts';
import postgres from 'postgres';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startActing, type Acting } from '../harness/acting.ts';
import { findMiscounted } from '../harness/audit-replay.ts';
import { buildPreviousRelease } from '../harness/build-previous-release.ts';
import { createClient } from '../harness/client.ts';
import { clientTools } from '../harness/client-tools.ts';
import { findIncompatibilities } from '../harness/compare-contracts.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { findContradictions } from '../harness/load-checks.ts';
import { byForm } from '../harness/long-form.ts';
import { previousRelease } from '../harness/previous-release.ts';
import { git, hg } from '../harness/remotes.ts';
import { Rotation } from '../harness/rotation.ts';
import { CallingRounds, PushingRounds, type Rounds } from '../harness/rounds.ts';
import { mainBranch } from '../harness/unique-name.ts';
import { createWebClient } from '../harness/web-client.ts';

vi.setConfig({ testTimeout: byForm(600_000, 3_600_000), hookTimeout: 300_000 });

const built = await buildPreviousRelease();
if ('missing' in built) console.warn(`${built.missing} Tests beside the previous release are left out.`);
const former = 'directory' in built ? built.directory : '';
const entryOf = (app: string) => join(former, 'apps', app, 'dist/main.js');

type App = Awaited<ReturnType<Cluster['startWorker']>>;
type Gateway = Awaited<ReturnType<Cluster['startGateway']>>;

const password = 'secret of the first administrator';
const roundsInAPhase = byForm(0, 5);

describe.skipIf('missing' in built)(`release ${previousRelease.version} beside this one`, () => {
  let old: typeof contracts;
  beforeAll(async () => {
    old = await import(pathToFileURL(join(former, 'packages/contracts/dist/index.js')).href);
  });

  it('its methods, views, lanes, arguments and subjects are served, and no result has to have more than its own', () => {
    expect(findIncompatibilities(old, contracts)).toEqual([]);
  });

  it('each reads the commands of the other', () => {
    const command: contracts.WorkerRequest = {
      method: 'get_repo',
      args: { repoid: 'x' },
      caller: { userId: 2, ip: '::1', credential: { kind: 'password', fingerprint: 'a'.repeat(64) } },
      callerKey: 'user 2',
      requestId: crypto.randomUUID(),
      storage: 'default',
      correlationId: 'edge-1',
      timeoutMs: 5_000,
      sentAt: 0,
    };
    expect(old.decodeWorkerRequest(contracts.encodeWorkerRequest(command))).toEqual(command);
    expect(contracts.decodeWorkerRequest(old.encodeWorkerRequest(command))).toEqual(command);
  });

  describe('under load', () => {
    let directory: string;
    let cluster: Cluster;
    let sql: postgres.Sql;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'trunkline-releases-'));
      cluster = await startCluster({
        postgresUrl: inject('postgresUrl'),
        gateways: 0,
        workers: 0,
        withoutSchema: true,
      });
      sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
    });
    afterEach(async () => {
      await sql.end();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    });

    // Release 0.1.0 knows no other role than the owner.
    const oldEnv = () => ({ TRUNKLINE_DATABASE_URL: cluster.database.ownerUrl });
    const startOld = () =>
      Promise.all([
        cluster.startWorker(oldEnv(), entryOf('vcs-worker')),
        cluster.startGateway(oldEnv(), entryOf('gateway')),
      ]);

    const types = ['git', 'hg'] as const;

    async function setUpRounds(gateways: Rotation, baseUrl: string) {
      const admin = createClient(baseUrl, cluster.adminKey);
      await admin.result('create_user', { username: 'bob', email: 'bob@example.com' });
      const signIn = async (url: string) => {
        const web = createWebClient(url);
        await web.signIn('admin', password);
        return [...web.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
      };
      const common = { gateways, apiKey: cluster.adminKey };
      const pushing = types.map(
        (type) =>
          new PushingRounds(clientTools[type], { ...common, name: `pushed/${type}`, path: join(directory, type) }),
      );
      await git('/', 'init', '-q', '-b', mainBranch, join(directory, 'git'));
      await hg('/', 'init', join(directory, 'hg'));
      for (const type of types) await admin.result('create_repo', { repo_name: `pushed/${type}`, repo_type: type });
      await Promise.all(pushing.map((one) => one.act()));
      const source = 'pushed/git';
      const pages = [`/${source}`, `/${source}/files/tip/`, `/${source}/changelog`, '/_admin/my_account'];
      const groups = byForm(['a'], ['a', 'b', 'c']);
      const calling = groups.map((group) => new CallingRounds({ ...common, signIn, group, source, pages }));
      return { calling, pushing };
    }

    /** Waits until each has ended some rounds that were begun after now. */
    async function goOn(all: readonly Rounds[]): Promise<void> {
      const from = all.map(({ ended }) => ended);
      const done = async () => all.every(({ ended }, at) => ended > (from[at] ?? 0) + roundsInAPhase);
      await eventually(done, Boolean, byForm(300, 900));
    }

    const startAll = (rounds: readonly Rounds[]) => rounds.map((one) => startActing([one]));
    const stopAll = (acting: readonly Acting[]) => Promise.all(acting.map((one) => one.stop()));

    it('no call, page, clone or push fails, and none is done twice, on the way to this release and back', async () => {
      const gateways = new Rotation();
      let [worker, gateway] = await startOld();
      gateways.add(gateway.baseUrl);
      const { calling, pushing } = await setUpRounds(gateways, gateway.baseUrl);
      const all = [...calling, ...pushing];
      const acting = startAll(calling);
      let actingOnBytes = startAll(pushing);
      // Workers of release 0.1.0 refuse the transfers that they have just offered when they stop.
      const stop = async (one: App) => {
        await stopAll(actingOnBytes);
        await one.stop();
        actingOnBytes = startAll(pushing);
      };
      const replaceGateway = async (one: Gateway) => {
        await gateways.remove(one.baseUrl);
        await one.stop();
      };

      onTestFinished(async () => {
        await Promise.allSettled([...acting, ...actingOnBytes].map((one) => one.stop()));
      });

      // The first process of this release migrates.
      const newWorker = await cluster.startWorker({ TRUNKLINE_MIGRATE_URL: cluster.database.ownerUrl });
      await goOn(all);
      const newGateway = await cluster.startGateway();
      gateways.add(newGateway.baseUrl);
      await goOn(all);
      await replaceGateway(gateway);
      await goOn(all);
      await stop(worker);
      await goOn(all);

      // The way back, where the previous release starts on the schema of this one.
      [worker, gateway] = await startOld();
      gateways.add(gateway.baseUrl);
      await goOn(all);
      await stop(newWorker);
      await goOn(all);
      await replaceGateway(newGateway);
      await goOn(all);

      await stopAll([...acting, ...actingOnBytes]);
      const sent = calling.flatMap((one) => one.sent);
      const pushFaults = await Promise.all(pushing.map((one) => one.findFaults(sql, cluster.storageRoot)));
      expect([
        ...all.flatMap(({ failures }) => failures),
        ...pushFaults.flat(),
        ...(await findMiscounted(sql, sent)),
        ...(await findContradictions(sql)),
      ]).toEqual([]);
      expect(await cluster.logs()).not.toContain('command refused');
      const rounds = all.map(({ ended }) => ended).join(', ');
      console.log(`releases ${previousRelease.version} and this one: ${rounds} rounds, ${sent.length} changes`);
    });
  });
});
