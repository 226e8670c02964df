import { OperationFailedError, OutcomeUnknownError } from '@trunkline/contracts';
import { createLogger } from '@trunkline/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedOperation, OperationRunner } from './claimed-operation.ts';
import { createOperationEngine, type OperationEngineOptions } from './operation-engine.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { FencedError } from './operation-store.ts';
import { LeaseLostError, OperationCancelledError } from './lease-keeper.ts';

const operation = (id: string, changed: Partial<ClaimedOperation> = {}): ClaimedOperation => ({
  id,
  kind: 'delete',
  repositoryId: 1,
  sourceRepositoryId: null,
  storageId: null,
  epoch: null,
  targetStorageId: null,
  exclusive: true,
  isLost: false,
  attempt: 1,
  handovers: 0,
  cancelRequestedAt: null,
  request: {},
  claimedAt: 0,
  ...changed,
});
const lost = () => Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
const family = [operation('fork'), operation('source')];

let events: string[];
let failures: string[];
let held: Map<string, AbortController>;
let runner: OperationRunner;

beforeEach(() => {
  events = [];
  failures = [];
  held = new Map();
  runner = {
    restartable: true,
    failureText: ({ id }) => `failed ${id}`,
    runAttempt: async ({ id }) => void events.push(`run ${id} of ${[...held.keys()].join()}`),
    undo: async ({ id }) => void events.push(`undo ${id}`),
  };
});

const engine = (changed: Partial<OperationEngineOptions> = {}) =>
  createOperationEngine({
    worker: 'me',
    leaseSeconds: 30,
    leases: {
      hold({ id }) {
        const controller = new AbortController();
        held.set(id, controller);
        return { signal: controller.signal, report: () => {}, release: () => held.delete(id) };
      },
      heartbeat: () => {},
      stop: async () => {},
    },
    beginAnew: async (one) => ({ ...one, attempt: one.attempt + 1 }),
    countDone: () => {},
    fenceAttempts: async ({ id }) => void events.push(`clear ${id} of ${[...held.keys()].join()}`),
    runners: {
      adopt: runner,
      replace: runner,
      create: runner,
      import: runner,
      fork: runner,
      pull: runner,
      push: runner,
      delete: runner,
      move: runner,
      default_branch: runner,
      maintain: runner,
      restore: runner,
      verify: runner,
    },
    logger: createLogger({ role: 'test', level: 'silent' }),
    countFailure: (kind) => failures.push(kind),
    announceEnd: () => events.push('end'),
    ...changed,
  });

describe('createOperationEngine', () => {
  it('C6 holds the lease of every operation from the start, while others of the call run', async () => {
    await engine().runOperations(family);
    expect(events).toEqual(['run fork of fork,source', 'end', 'run source of source', 'end']);
    expect(held.size).toBe(0);
  });

  it('C6 undoes the operations after one that failed', async () => {
    runner = { ...runner, runAttempt: () => Promise.reject(new Error('disk')) };
    await expect(engine().runOperations(family)).rejects.toEqual(new OperationFailedError('failed fork'));
    expect(failures).toEqual(['delete', 'delete']);
    expect(events).toEqual(['undo fork', 'end', 'undo source', 'end']);
    expect(held.size).toBe(0);
  });

  it('records the longer text of a runner that has one, and throws the text for the client', async () => {
    const kept: string[] = [];
    runner = {
      ...runner,
      runAttempt: () => Promise.reject(new Error('slow')),
      recordedText: ({ id }, error) => `failed ${id}: ${error instanceof Error ? error.message : ''}`,
      undo: async (_operation, error) => void kept.push(error),
    };
    await expect(engine().runOperations([operation('made')])).rejects.toEqual(new OperationFailedError('failed made'));
    expect(kept).toEqual(['failed made: slow']);
  });

  it('C7 leaves all operations to other workers once their leases are released', async () => {
    runner.runAttempt = async () => {
      for (const controller of held.values()) controller.abort(new LeaseLostError('given away'));
      throw new Error('killed');
    };
    await expect(engine().runOperations(family)).rejects.toEqual(OutcomeUnknownError.of('fork'));
    expect(events.filter((event) => event !== 'end')).toEqual([]);
  });

  it('undoes an operation that is cancelled while it runs', async () => {
    runner.runAttempt = async () => {
      for (const controller of held.values()) controller.abort(new OperationCancelledError('cancelled'));
      throw new Error('killed');
    };
    await expect(engine().runOperations([operation('made')])).rejects.toEqual(new OperationFailedError('failed made'));
    expect(events).toEqual(['undo made', 'end']);
  });

  it('is idle when nothing runs, also after a failure that no caller awaited', async () => {
    let end = () => {};
    runner.runAttempt = () => new Promise((_resolve, reject) => (end = () => reject(new Error('late'))));
    const one = engine();
    const work = one.runOperations([operation('made')]);
    work.catch(() => {});
    const idle = one.idle().then(() => events.push('idle'));
    end();
    await idle;
    await expect(work).rejects.toThrow('failed made');
    expect(events).toEqual(['undo made', 'end', 'idle']);
  });

  it.each([
    ['taken over for the second time', { attempt: 3 }, 'run'],
    ['taken over too often', { attempt: 4 }, 'undo'],
    ['handed over by workers that were stopped', { attempt: 9, handovers: 7 }, 'run'],
    ['cancelled', { attempt: 2, cancelRequestedAt: new Date() }, 'undo'],
  ])('runs again, or undoes, an operation that is %s', async (_what, changed, expected) => {
    await engine().takeOver(operation('left', changed));
    expect(events.slice(0, 2)).toEqual(['clear left of left', expect.stringMatching(expected)]);
  });

  it('C6 leaves an operation whose staging cannot be cleared to other workers', async () => {
    const one = engine({ fenceAttempts: () => Promise.reject(new Error('disk')) });
    await expect(one.takeOver(operation('left'))).rejects.toThrow('disk');
    expect(events).toEqual([]);
    expect(held.size).toBe(0);
  });

  it.each([new FencedError('taken over'), new Error('ECONNREFUSED')])(
    'E4 an operation that cannot be undone has an unknown outcome: %s',
    async (failure) => {
      runner = { ...runner, runAttempt: () => Promise.reject(new Error('x')), undo: () => Promise.reject(failure) };
      await expect(engine().runOperations([operation('made')])).rejects.toEqual(OutcomeUnknownError.of('made'));
      expect(held.size).toBe(0);
    },
  );
});

describe('an operation whose run loses the database', () => {
  /** Returns a `runAttempt` that fails with an error this many times, then succeeds. */
  const failing = (times: number, error: () => Error): OperationRunner['runAttempt'] => {
    let runs = 0;
    return async ({ id, attempt }) => {
      events.push(`run ${id} ${attempt}`);
      runs += 1;
      if (runs <= times) throw error();
    };
  };

  it('E12 begins anew, after the staging of the attempt before was cleared', async () => {
    runner.runAttempt = failing(1, lost);
    await engine().runOperations([operation('made')]);
    expect(events.filter((event) => event !== 'end')).toEqual(['run made 1', 'clear made of made', 'run made 2']);
    expect(held.size).toBe(0);
  });

  it.each([
    ['three times', operation('made'), ['run made 1', 'run made 2', 'run made 3', 'undo made']],
    ['in its last attempt', operation('made', { attempt: 3 }), ['run made 3', 'undo made']],
    [
      'in its first attempt after many handovers',
      operation('made', { attempt: 9, handovers: 8 }),
      ['run made 9', 'run made 10', 'run made 11', 'undo made'],
    ],
  ])('E12 %s: is undone when no attempt is left', async (_when, one, expected) => {
    runner.runAttempt = failing(9, lost);
    await expect(engine().runOperations([one])).rejects.toEqual(new OperationFailedError('failed made'));
    expect(events.filter((event) => /^(run|undo)/.test(event))).toEqual(expected);
    expect(held.size).toBe(0);
  });

  it.each<[string, Partial<OperationRunner>, () => Error]>([
    ['of a kind that is not restartable', { restartable: false }, lost],
    ['for which a remote was not reached', {}, () => new VcsError('remote-failed', 'x', { cause: lost() })],
    ['for another reason', {}, () => new Error('disk')],
  ])('an operation %s is undone', async (_what, changed, error) => {
    Object.assign(runner, changed, { runAttempt: failing(1, error) });
    await expect(engine().runOperations([operation('made')])).rejects.toEqual(new OperationFailedError('failed made'));
    expect(events.filter((event) => event !== 'end')).toEqual(['run made 1', 'undo made']);
  });

  it('E12 tries again while the database is away', async () => {
    runner.runAttempt = failing(1, lost);
    let tries = 0;
    const beginAnew: OperationEngineOptions['beginAnew'] = async (one) => {
      tries += 1;
      if (tries < 3) throw lost();
      return { ...one, attempt: 2 };
    };
    await engine({ beginAnew }).runOperations([operation('made')]);
    expect([tries, events.includes('run made 2')]).toEqual([3, true]);
  });

  it('is undone when the database stays away for the time of a lease', async () => {
    runner.runAttempt = failing(1, lost);
    const one = engine({ leaseSeconds: 0.3, beginAnew: () => Promise.reject(lost()) });
    await expect(one.runOperations([operation('made')])).rejects.toEqual(new OperationFailedError('failed made'));
    expect(events.filter((event) => event !== 'end')).toEqual(['run made 1', 'undo made']);
  });

  it('C7 is left to other workers when it has ended, or was taken over', async () => {
    runner.runAttempt = failing(1, lost);
    const one = engine({ beginAnew: () => Promise.reject(new FencedError('ended')) });
    await expect(one.runOperations([operation('made')])).rejects.toEqual(OutcomeUnknownError.of('made'));
    expect(events.filter((event) => event !== 'end')).toEqual(['run made 1']);
  });

  it('C7 is left to other workers when its lease is lost before the database is back', async () => {
    runner.runAttempt = failing(1, lost);
    const beginAnew = () => {
      for (const controller of held.values()) controller.abort(new LeaseLostError('late'));
      return Promise.reject(lost());
    };
    await expect(engine({ beginAnew }).runOperations([operation('made')])).rejects.toEqual(
      OutcomeUnknownError.of('made'),
    );
    expect(events.filter((event) => event !== 'end')).toEqual(['run made 1']);
  });

  it('is undone when it was cancelled meanwhile', async () => {
    runner.runAttempt = failing(1, lost);
    const beginAnew: OperationEngineOptions['beginAnew'] = async (one) => ({
      ...one,
      attempt: 2,
      cancelRequestedAt: new Date(),
    });
    await expect(engine({ beginAnew }).runOperations([operation('made')])).rejects.toEqual(
      new OperationFailedError('failed made'),
    );
    expect(events.filter((event) => /^(run|undo)/.test(event))).toEqual(['run made 1', 'undo made']);
  });

  it('C6 is left to other workers when its staging cannot be cleared', async () => {
    runner.runAttempt = failing(1, lost);
    const one = engine({ fenceAttempts: () => Promise.reject(new Error('disk')) });
    await expect(one.runOperations([operation('made')])).rejects.toEqual(OutcomeUnknownError.of('made'));
    expect(held.size).toBe(0);
  });
});
