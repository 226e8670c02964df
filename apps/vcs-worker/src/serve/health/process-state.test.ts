import type { Lane } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { createReadiness } from './process-state.ts';

function setUp() {
  const state = { database: true, bus: true, unsubscribed: [] as Lane[], dataPort: true, stopping: false };
  const missing = createReadiness({
    pingDatabase: async () => {
      if (!state.database) throw new Error('away');
    },
    bus: {
      async flush() {
        if (!state.bus) throw new BusError('not-connected');
      },
    },
    unsubscribedLanes: () => state.unsubscribed,
    hasDataPort: () => state.dataPort,
    isStopping: () => state.stopping,
  });
  return { state, missing };
}

it('names nothing when the connections answer and the lanes are subscribed', async () => {
  expect(await setUp().missing()).toEqual([]);
});

it('E5 names database, bus, the lanes without a subscription and a data port that takes no connections', async () => {
  const { state, missing } = setUp();
  state.database = false;
  state.bus = false;
  state.unsubscribed = ['storage'];
  state.dataPort = false;
  expect(await missing()).toEqual(['database', 'bus', 'lane storage', 'data port']);
});

it('a worker that stops is not ready', async () => {
  const { state, missing } = setUp();
  state.stopping = true;
  expect(await missing()).toEqual(['stopping']);
});
