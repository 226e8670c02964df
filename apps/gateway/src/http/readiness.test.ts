import { subjects, type Lane } from '@trunkline/contracts';
import { BusError, type BusErrorReason } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import { createReadiness } from './readiness.ts';

const storage = { state: 'active', weight: 100, capacityBytes: null, freeBytes: null } as const;
const metadata = { lane: 'metadata', storage: null };

function setUp() {
  const clock = { time: 0, now: () => clock.time, async sleep() {} };
  const state = { databasePings: 0, database: true, bus: true, pings: 0 };
  /** The errors of the next pings, by the subject of their lane. */
  const failures = new Map<string, BusErrorReason[]>();
  const readiness = createReadiness({
    pingDatabase: async () => {
      state.databasePings += 1;
      if (!state.database) throw new Error('away');
    },
    bus: {
      async flush() {
        if (!state.bus) throw new BusError('not-connected');
      },
      async request(subject) {
        state.pings += 1;
        const reason = state.bus ? failures.get(subject)?.shift() : 'not-connected';
        if (reason) throw new BusError(reason);
        return { payload: new Uint8Array(), isError: false };
      },
    },
    directory: {
      async all() {
        if (!state.database) throw new Error('away');
        return ['a', 'b'].map((name) => ({ ...storage, id: name, name }));
      },
    },
    clock,
  });
  const fail = (lane: Lane, ...reasons: BusErrorReason[]) =>
    failures.set(subjects.ping(lane, lane === 'metadata' ? null : 'b'), reasons);
  return { clock, state, readiness, fail };
}

describe('createReadiness', () => {
  it('reports nothing as missing when everything answers', async () => {
    expect(await setUp().readiness()).toMatchObject({ missing: [], unserved: [] });
  });

  it.each(['storage', 'download', 'transfer', 'wire', 'wire-push'] as const)(
    'E5 stays ready without a worker of the lane %s',
    async (lane) => {
      const { readiness, fail } = setUp();
      fail(lane, 'no-responders');
      expect(await readiness()).toMatchObject({ missing: [], unserved: [{ lane, storage: 'b' }] });
    },
  );

  it('E5 is not ready without a worker of the lane metadata', async () => {
    const { state, readiness, fail } = setUp();
    fail('metadata', 'no-responders');
    expect(await readiness()).toMatchObject({ missing: ['lane metadata'], unserved: [metadata] });
    // The lane metadata, and five lanes of two storages.
    expect(state.pings).toBe(11);
  });

  it('E5 reports a lane as unserved when three pings in a row have no answer, not before', async () => {
    const twice = setUp();
    twice.fail('metadata', 'timeout', 'timeout');
    expect(await twice.readiness()).toMatchObject({ missing: [], unserved: [] });
    const thrice = setUp();
    thrice.fail('metadata', 'timeout', 'timeout', 'timeout');
    expect(await thrice.readiness()).toMatchObject({ missing: ['lane metadata'], unserved: [metadata] });
  });

  it('E5 names database and bus, and no lane while the bus does not answer', async () => {
    const { state, readiness } = setUp();
    state.database = false;
    state.bus = false;
    expect(await readiness()).toMatchObject({ missing: ['database', 'bus'], unserved: null });
  });

  it('shares one check among all callers for half a second', async () => {
    const { clock, state, readiness } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => readiness()));
    clock.time = 499;
    state.database = false;
    expect((await readiness()).missing).toEqual([]);
    expect(state.databasePings).toBe(1);
    clock.time = 500;
    expect((await readiness()).missing).toEqual(['database']);
  });
});
