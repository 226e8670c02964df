import { laneNames, subjects } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import { createReadiness } from './readiness.ts';

const everyLane = laneNames.map((lane) => `lane ${lane}`);

function setUp() {
  const clock = { time: 0, now: () => clock.time, async sleep() {} };
  const state = { asked: 0, database: true, connected: true, deaf: [] as string[] };
  const readiness = createReadiness({
    askDatabase: async () => {
      state.asked += 1;
      if (!state.database) throw new Error('away');
    },
    bus: {
      get connected() {
        return state.connected;
      },
      async request(subject) {
        if (!state.connected || state.deaf.includes(subject)) throw new BusError('no-responders');
        return { payload: new Uint8Array(), isError: false };
      },
    },
    clock,
  });
  return { clock, state, readiness };
}

describe('createReadiness', () => {
  it('misses nothing when everything answers', async () => {
    expect(await setUp().readiness()).toEqual([]);
  });

  it('E5 names the lane that no worker serves', async () => {
    const { state, readiness } = setUp();
    state.deaf = [subjects.ping('storage')];
    expect(await readiness()).toEqual(['lane storage']);
  });

  it('E5 names database and bus', async () => {
    const { state, readiness } = setUp();
    state.database = false;
    state.connected = false;
    expect(await readiness()).toEqual(['database', 'bus', ...everyLane]);
  });

  it('shares one look among many for half a second', async () => {
    const { clock, state, readiness } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => readiness()));
    clock.time = 499;
    state.database = false;
    expect(await readiness()).toEqual([]);
    expect(state.asked).toBe(1);
    clock.time = 500;
    expect(await readiness()).toEqual(['database']);
  });
});
