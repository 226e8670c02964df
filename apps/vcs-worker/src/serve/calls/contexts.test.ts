import { beforeEach, describe, expect, it } from 'vitest';
import { createLaneSlots, type Slot } from '../admission/lane-slots.ts';
import type { Access } from '../../authz/authorize.ts';
import type { Call } from './call.ts';
import { contexts } from './contexts.ts';

const access = { repository: null } as Access;
const storages = { names: ['one', 'two'], only: (name: string) => ({ names: [name] }) };

let slot: Slot;
beforeEach(() => {
  const taken = createLaneSlots(1).tryTake('caller');
  if (!taken) throw new Error('no slot is free');
  slot = taken;
});

function callOf(method: Partial<Call['method']>, storage?: string): Call {
  const tools = { trashDays: 14 };
  const repositoryService = { tools: { pushBytesMax: 7, storages } };
  return {
    environment: { tools, repositoryService, stopping: new AbortController().signal },
    method,
    frame: { request: { storage }, slot, signal: new AbortController().signal },
    authorized: async () => access,
  } as unknown as Call;
}

describe('contexts', () => {
  it.each(['read', 'write', 'operation'] as const)(
    'one of access %s has its tools when it was spread',
    async (name) => {
      const context = await contexts[name](callOf({ lane: 'storage' }));
      expect({ ...context }).toMatchObject({ trashDays: 14, pushBytesMax: 7, storages });
    },
  );

  it.each(['read', 'write'] as const)('one of access %s in the lane metadata reaches no bytes', async (name) => {
    const context = await contexts[name](callOf({ lane: 'metadata' }));
    expect(context).toMatchObject({ trashDays: 14 });
    expect(context).not.toHaveProperty('storages');
  });

  it.each(['write', 'operation'] as const)(
    'one of access %s has the storage alone whose part is asked',
    async (name) => {
      const method = { lane: 'storage', merge: () => null } as const;
      expect(contexts[name](callOf(method, 'two'))).toMatchObject({ storages: { names: ['two'] } });
      expect(contexts[name](callOf(method))).toMatchObject({ storages: { names: ['one', 'two'] } });
    },
  );
});
