import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { toolCommand } from '../harness/tool-command.ts';
import { isShort } from './bench-form.ts';
import { ipCall, timeCalls } from './beside.ts';
import { gitRequests, hgRequests, readAnswer, type CloneRequest } from './clones/bare-clones.ts';
import { openCloneStage, type CloneStage, type System } from './clones/clone-stage.ts';
import { costOf } from './clones/compare-clones.ts';
import { atShare, median, report } from './median.ts';

const rounds = isShort ? 2 : 5;
const calls = isShort ? 50 : 500;
const coldCalls = isShort ? 10 : 50;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

type Call = () => Promise<unknown>;

interface Round {
  readonly p50: number;
  readonly cpu: number;
}

/** Makes calls one after the other; returns the time of the median one, and the CPU time of one call. */
async function measure(stage: CloneStage, call: Call): Promise<Round> {
  let times: number[] = [];
  const { cpu } = await costOf(stage, 'service', async () => {
    times = await timeCalls(call, calls);
  });
  return { p50: atShare(times, 0.5), cpu: cpu / calls };
}

/** Reports calls against get_ip, in turn. */
async function reportAgainstCall(stage: CloneStage, asked: Readonly<Record<string, Call>>): Promise<void> {
  const getIp = ipCall(stage.admin);
  for (const call of [getIp, ...Object.values(asked)]) await timeCalls(call);
  const base: Round[] = [];
  const found = Object.entries(asked).map(([name, call]) => ({ name, call, rounds: [] as Round[] }));
  for (let round = 0; round < rounds; round += 1) {
    base.push(await measure(stage, getIp));
    for (const one of found) one.rounds.push(await measure(stage, one.call));
  }
  const of = (measured: readonly Round[], figure: keyof Round) => median(measured.map((one) => one[figure]));
  report('get_ip', { 'p50 ms': of(base, 'p50'), 'CPU ms': of(base, 'cpu') });
  for (const { name, rounds: own } of found) {
    const ratio = (figure: keyof Round) =>
      median(own.map((one, round) => one[figure] / (base[round]?.[figure] ?? Number.NaN)));
    report(`${name}, warm`, {
      'p50 ms': of(own, 'p50'),
      'CPU ms': of(own, 'cpu'),
      'p50 / get_ip': ratio('p50'),
      'CPU / get_ip': ratio('cpu'),
    });
  }
}

/** Opens a stage with little history before the tests of a block. */
function useStage(system: System, manyBranches: boolean) {
  let opened: CloneStage | undefined;
  let name = '';
  beforeAll(async () => {
    opened = await openCloneStage(inject('postgresUrl'), system, { commits: 200, manyBranches });
    name = await opened.freshRepository();
  }, 300_000);
  afterAll(() => opened?.close());
  const stage = () => {
    if (!opened) throw new Error('the stage has not been opened');
    return opened;
  };
  const asking =
    (request: CloneRequest): Call =>
    () =>
      readAnswer(stage().address('service', name), request, agent);
  return { stage, asking };
}

describe('git', () => {
  const { stage, asking } = useStage('git', true);

  it('references and capabilities', async () => {
    await reportAgainstCall(stage(), {
      'info/refs of git, version 2': asking(gitRequests.capabilities()),
      'ls-refs of 200 branches': asking(gitRequests.references('refs/heads/', 'refs/tags/', 'HEAD')),
    });
  }, 300_000);

  it('references that nobody has asked for yet', async () => {
    const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
    const args = [...prefix, 'upload-pack', '--stateless-rpc', stage().bare];
    const env = {
      PATH: process.env['PATH'],
      GIT_PROTOCOL: 'version=2',
      GIT_CONFIG_NOSYSTEM: '1',
      HOME: '/nonexistent',
    };
    const spawned = async ({ body = '' }: CloneRequest) => {
      const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdout.resume();
      child.stdin.end(body);
      await once(child, 'close');
    };
    let asked = 0;
    // A prefix that nothing has makes a request another one, whose answer is the same.
    const fresh = () => {
      asked += 1;
      return gitRequests.references('refs/heads/', `refs/none/${asked}`);
    };
    const own: number[][] = [];
    const floor: number[][] = [];
    for (let round = 0; round < rounds; round += 1) {
      floor.push(await timeCalls(() => spawned(fresh()), coldCalls));
      own.push(await timeCalls(() => asking(fresh())(), coldCalls));
    }
    const p50 = (times: readonly number[]) => atShare(times, 0.5);
    report('ls-refs of 200 branches, cold', {
      'p50 ms': p50(own.flat()),
      'p50 of a spawned upload-pack ms': p50(floor.flat()),
      'p50 / upload-pack': median(own.map((times, round) => p50(times) / p50(floor[round] ?? []))),
    });
  }, 300_000);
});

describe('Mercurial', () => {
  const { stage, asking } = useStage('hg', false);

  it('capabilities and heads', async () => {
    await reportAgainstCall(stage(), {
      'capabilities of hg': asking(hgRequests.capabilities()),
      'heads and known of hg': asking(hgRequests.heads()),
    });
  }, 300_000);
});
