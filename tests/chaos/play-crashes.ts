import { randomUUID } from 'node:crypto';
import { subjects } from '@trunkline/contracts';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import postgres from 'postgres';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { crashPoints, type CrashPoint } from '../../apps/vcs-worker/src/crash-points.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { acts } from '../harness/crash-acts.ts';
import type { Act, Case, Stage } from '../harness/crash-case.ts';
import { crashScenarios, type CallScenario, type End, type SweepScenario } from '../harness/crash-scenarios.ts';
import { eventually } from '../harness/eventually.ts';
import { leaveBehind, leaveCopy } from '../harness/leave-behind.ts';
import { isNativeGitFetch, makeGitRemote, makeHgRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

type Worker = Awaited<ReturnType<Cluster['startWorker']>>;

let stage: Stage;
let sql: postgres.Sql;
/** A connection as that of a worker, to wake the sweepers. */
let bus: Bus;
/** The worker without a crash point; it prepares each case and cleans up afterwards. */
let sound: Worker | undefined;
/** While false, the remote answers no request of git. */
let remoteOpen = true;
interface Called {
  /** The error that the client receives, null for a result; it may arrive late. */
  readonly answer: Promise<string | null>;
}
const calls: (Called & { readonly name: string; readonly end: End })[] = [];

async function ensureSound(): Promise<void> {
  sound ??= await stage.cluster.startWorker();
}

async function killSound(): Promise<void> {
  await sound?.kill();
  sound = undefined;
}

/** Starts a worker that dies at a crash point; undefined when its first sweep passes that point during the start. */
async function startArmed(point: CrashPoint): Promise<Worker | undefined> {
  const env = { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: point, TRUNKLINE_LOG_LEVEL: 'silent' };
  try {
    return await stage.cluster.startWorker(env);
  } catch (error) {
    expect(String(error)).toContain('did not start: SIGKILL');
    return undefined;
  }
}

async function expectDeath(worker: Worker | undefined): Promise<void> {
  if (worker) expect(await worker.exited).toBe('SIGKILL');
}

/** Ends the leases of all running operations and of the sweeps, so that another worker can take them at once. */
async function endLeases(): Promise<void> {
  await sql`update operations set lease_until = now() - interval '1 s' where state = 'running'`;
  await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
}

async function settle(): Promise<void> {
  await endLeases();
  await ensureSound();
  const look = () => {
    // The next sweep would come after some seconds.
    bus.publish(subjects.operationReleased);
    return findInconsistencies(sql, stage.cluster.storageRoots);
  };
  await eventually(look, (found) => found.length === 0, 90);
}

/** Returns the error that a client gets, null for none. */
function errorOf(act: Act, one: Case): Promise<string | null> {
  return act.run ? act.run(one) : stage.admin.call(act.method, act.args(one)).then(({ error }) => error);
}

/** Makes the call while an armed worker is the only one, and waits for that worker to die. */
async function callUntilDeath(point: CrashPoint, act: Act, one: Case): Promise<Called> {
  const worker = await startArmed(point);
  const answer = errorOf(act, one);
  // A client whose connection is lost may notice the death first.
  const answered = answer.then((error) => (act.run && error !== null ? worker?.exited : `answered: ${error}`));
  expect(await Promise.race([worker?.exited, answered])).toBe('SIGKILL');
  return { answer };
}

/** Makes a call that takes long, stops the armed worker by SIGTERM, and waits for it to die at its crash point. */
async function stopUntilDeath(point: CrashPoint, act: Act, one: Case): Promise<Called> {
  const worker = await startArmed(point);
  remoteOpen = false;
  try {
    const answer = errorOf(act, one);
    const begun = () => sql`select 1 from operations where state = 'running' and request->>'name' = ${one.name}`;
    await eventually(begun, (rows) => rows.length > 0);
    if (worker) process.kill(worker.pid, 'SIGTERM');
    await expectDeath(worker);
    return { answer };
  } finally {
    remoteOpen = true;
  }
}

const outcomesSince = async (auditId: string, method: string) => {
  const rows = await sql`select outcome from audit_log where id > ${auditId} and method = ${method} order by id`;
  const outcomes = rows.map(({ outcome }) => String(outcome));
  // A rescan has an entry for each storage, as far as a worker has begun it.
  return method === 'rescan_repos' ? [...new Set(outcomes)] : outcomes;
};
const recorded = { never: [], done: ['succeeded'], undone: ['failed'], partly: ['succeeded'] } as const;

/** Expects the outcome of the scenario, no half state, and that a repeated call does what is still to do. */
async function expectEnd(one: Case, act: Act, { end }: CallScenario, auditId: string): Promise<void> {
  expect(await act.isDone(one)).toBe(end === 'done');
  expect(await outcomesSince(auditId, act.method)).toEqual(recorded[end]);
  expect(await findByteFaults(sql, stage.cluster.storageRoots, one.name)).toEqual([]);

  await sql`delete from doomed`;
  const refusal = end === 'done' ? act.again?.(one) : undefined;
  const error = await errorOf(act, one);
  expect(error).toBe(refusal ?? null);
  expect(await act.isDone(one)).toBe(true);
  expect(await outcomesSince(auditId, act.method)).toEqual(
    end === 'done' && act.run
      ? recorded[end]
      : [...recorded[end], refusal ? 'failed' : 'succeeded'].slice(act.method === 'rescan_repos' ? -1 : 0),
  );
  expect(await findInconsistencies(sql, stage.cluster.storageRoots)).toEqual([]);
  // After the end `done` the repeated call changes nothing, so that the bytes need no second check.
  if (end !== 'done') expect(await findByteFaults(sql, stage.cluster.storageRoots, one.name)).toEqual([]);
}

async function play(point: CrashPoint, scenario: CallScenario, name: string): Promise<void> {
  const act: Act = acts[scenario.act];
  const one: Case = { ...stage, name, type: scenario.type };
  await ensureSound();
  // Ten refusals in a minute have entries of their own.
  await sql`delete from refusal_counts`;
  await act.prepare?.(one);
  await killSound();
  if (scenario.doomed) await sql`insert into doomed values (${name})`;
  const [{ last: auditId } = { last: '0' }] = await sql<{ last: string }[]>`select max(id) as last from audit_log`;
  const dieAt = scenario.stopped ? stopUntilDeath : callUntilDeath;
  const called = await dieAt(scenario.first ?? point, act, one);
  // A client that is no program of the API gets no id of an operation: its connection is lost.
  expect(act.run ? await called.answer : 'asked for later').not.toBeNull();
  if (!act.run) calls.push({ ...called, name, end: scenario.end });
  if (scenario.first) {
    await endLeases();
    await expectDeath(await startArmed(point));
  }
  await settle();
  await expectEnd(one, act, scenario, auditId);
}

async function playSweep(point: CrashPoint, { left }: SweepScenario): Promise<void> {
  await killSound();
  await endLeases();
  if (left === 'leaving' || left === 'arriving') await leaveCopy(stage, left);
  else {
    const names = [randomUUID(), randomUUID()].map((id) => `${left === '@trash' ? `0.${id}` : id}.1`);
    await leaveBehind(
      stage,
      names.map((name) => `${left}/${name}`),
    );
  }
  await expectDeath(await startArmed(point));
  await settle();
  await eventually(
    () => sql`select 1 from repository_copies where repository_id = 0`,
    (rows) => rows.length === 0,
  );
}

async function prepareStage(): Promise<void> {
  const cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    storages: ['second'],
    // Forks and moves are answered when they have ended, also on a busy machine.
    env: { TRUNKLINE_TRANSFER_TIMEOUT: '30', TRUNKLINE_FORK_WAIT: '25' },
  });
  sound = cluster.workers[0];
  bus = await connectBus({
    url: cluster.nats.workerUrl,
    name: 'test',
    logger: createLogger({ role: 'test', level: 'silent' }),
  });
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const remotes = {
    hg: await makeHgRemote(),
    git: await makeGitRemote({ intercept: (request) => isNativeGitFetch(request) && !remoteOpen }),
  };
  const newest = {
    hg: await remotes.hg.commit({ [someFile]: '1' }),
    git: await remotes.git.commit({ [someFile]: '1' }),
  };
  stage = { cluster, sql, remotes, newest, admin: createClient(cluster.baseUrl, cluster.adminKey) };
  await stage.admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  await sql.unsafe(`
    create table doomed (name text);
    grant select on doomed to public;
    create function refuse() returns trigger language plpgsql as $$ begin
      if exists (select 1 from doomed d where old.name like d.name || '%') then raise exception 'refused'; end if;
      return coalesce(new, old); end $$;
    create trigger refuse_making before update of state on repositories for each row
      when (old.state = 'creating') execute function refuse();
    create trigger refuse_removal before delete on repositories for each row
      when (old.state = 'deleting') execute function refuse();`);
}

async function leaveStage(): Promise<void> {
  await bus.close();
  await sql.end();
  await stage.cluster.kill();
  await Promise.all([stage.remotes.hg.close(), stage.remotes.git.close()]);
}

/** A call, or a sweep, during which a worker dies. */
interface CrashCase {
  readonly point: CrashPoint;
  readonly scenario: CallScenario | SweepScenario;
  /** What dies, in words. */
  readonly of: string;
  /** Name of the repository. */
  readonly name: string;
}

const allCases: readonly CrashCase[] = crashPoints.flatMap((point) =>
  crashScenarios[point].map((scenario, index) => ({
    point,
    scenario,
    of: 'act' in scenario ? `${scenario.act} ${scenario.type}, ${scenario.end}` : `what lies in ${scenario.left}`,
    name: `${point.replace('.', '-')}-${index}`,
  })),
);

const ends: Readonly<Record<string, string>> = { done: 'done', failed: 'undone' };

/** Returns the end of an operation by get_operation; `never` when the operation does not exist. */
async function endOf(operation_id: unknown): Promise<string> {
  const { result, error } = await stage.admin.call('get_operation', { operation_id });
  if (error === `operation \`${String(operation_id)}\` does not exist`) return 'never';
  const { state } = v.parse(v.object({ state: v.string() }), result);
  return ends[state] ?? state;
}

const kinds =
  'create import fork pull push adopt replace move defaultBranch maintain delete restore rename grant'.split(' ');
const firsts = kinds.map((act) => allCases.find(({ scenario }) => 'act' in scenario && scenario.act === act));

/** One case of each kind of operation, which the quick tier plays, and all others, which the long tier does. */
export const crashCases = {
  first: allCases.filter((one) => firsts.includes(one)),
  further: allCases.filter((one) => !firsts.includes(one)),
};

/** Defines the tests of these cases, and one of what the clients of all of them were told. */
export function playCrashes(cases: readonly CrashCase[]): void {
  beforeAll(prepareStage);
  afterAll(leaveStage);

  describe('C6 a worker that is killed', () => {
    it.each(cases)(
      'at $point of $of',
      async ({ point, scenario, name }) => {
        await ('act' in scenario ? play(point, scenario, name) : playSweep(point, scenario));
      },
      180_000,
    );

    it('E4 clients receive the true outcome, or the id of an operation that has the true outcome', async () => {
      for (const { answer, end, name } of calls) {
        const error = await answer;
        const unknown = /^The outcome of operation (\S+) is not known yet, ask get_operation$/.exec(error ?? '');
        // Without the text of an unknown outcome, another worker has ended the operation while its caller still waited.
        const answered = error === null ? 'done' : 'undone';
        // The only operation of a rescan that had adopted some of the repositories is done.
        const expected = end === 'partly' ? 'done' : end;
        expect([name, unknown ? await endOf(unknown[1]) : answered]).toEqual([name, expected]);
      }
    }, 180_000);
  });
}
