import { beforeEach, expect, it, vi } from 'vitest';
import { readRepository } from '../../repo/read-repository.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { recordTip, renewGeneration } from '../../repo/tip-store.ts';
import { invalidateCache } from './invalidate-cache.ts';

vi.mock('../../repo/lock-repository.ts');
vi.mock('../../repo/read-repository.ts');
vi.mock('../../repo/tip-store.ts');

type Context = Parameters<typeof invalidateCache>[1];

const repoid = { sent: 'x', id: null, name: 'x' };
const repository = {
  id: 1,
  uuid: 'u',
  name: 'x',
  type: 'git',
  storagePath: '@repos/u',
  generation: 5,
  tipId: null,
  tipRevision: null,
  level: 3,
  private: false,
} as const;

const state = { isInTransaction: false };

// Only what the handler itself uses: its reads and writes are mocked.
const context = {
  authorize: async () => ({ repository }),
  async transact(act: (scope: object) => Promise<unknown>) {
    state.isInTransaction = true;
    return act({ db: {} });
  },
} as unknown as Context;

beforeEach(() => {
  vi.resetAllMocks();
  state.isInTransaction = false;
  vi.mocked(readRepository).mockImplementation(async () => {
    if (state.isInTransaction) throw new Error('read in a transaction');
    return null;
  });
});

it('reads the repository before its transaction, and records the tip', async () => {
  vi.mocked(lockRepository).mockResolvedValue(repository);
  expect(await invalidateCache({ repoid }, context)).toBe('Caches of repository `x` was invalidated');
  expect(recordTip).toHaveBeenCalledWith({}, 1, null);
});

it.each([{ generation: 6 }, { id: 2 }])(
  'does not replace a tip that was recorded after the read: %j',
  async (changed) => {
    vi.mocked(lockRepository).mockResolvedValue({ ...repository, ...changed });
    await invalidateCache({ repoid }, context);
    expect(recordTip).not.toHaveBeenCalled();
    expect(renewGeneration).toHaveBeenCalledTimes(1);
  },
);
