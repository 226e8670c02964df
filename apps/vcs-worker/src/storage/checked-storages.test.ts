import { UnavailableError } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { CheckedStorages } from './checked-storages.ts';
import type { Storage } from './storage.ts';

const storage = (id: string, isOurs: Storage['isOurs']) => ({ id, name: id, isOurs: vi.fn(isOurs) });
const there = async () => true;
const away = async () => false;
const hangs = () => new Promise<boolean>(() => {});

/** Returns the check of storages, of which only what it uses is there. */
function setUp(...storages: ReturnType<typeof storage>[]) {
  return setUpLikely(undefined, ...storages);
}

function setUpLikely(likely: string | undefined, ...storages: ReturnType<typeof storage>[]) {
  const of = ({ storageId }: { storageId: string | null }) => {
    const found = storages.find(({ id }) => id === storageId);
    if (found) return found;
    throw new UnavailableError();
  };
  return { all: storages.map((one) => ({ storage: one })), of, likely };
}

type Attempt<T> = (requireChecked: CheckedStorages['requireChecked']) => Promise<T>;

/** Makes attempts until the markers of all storages that they need were read. */
async function attemptOn<T>({ likely, ...storages }: ReturnType<typeof setUp>, attempt: Attempt<T>): Promise<T> {
  const checked = await CheckedStorages.open(storages, likely);
  for (;;) {
    try {
      return await attempt((stored) => checked.requireChecked(stored));
    } catch (error) {
      if (!(await checked.readMissing(error))) throw error;
    }
  }
}

/** Returns an attempt at work on these storages. */
function workOn(...ids: string[]) {
  return vi.fn(async (requireChecked: (stored: { storageId: string }) => void) => {
    for (const storageId of ids) requireChecked({ storageId });
    return 'done';
  });
}

describe('CheckedStorages', () => {
  it('reads the marker of an only storage before the first attempt', async () => {
    const attempt = workOn('a');
    expect(await attemptOn(setUp(storage('a', there)), attempt)).toBe('done');
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('reads the markers of those of several storages that the work needs, between attempts', async () => {
    const [a, b, hung] = [storage('a', there), storage('b', there), storage('hung', hangs)];
    const attempt = workOn('a', 'b', 'a');
    expect(await attemptOn(setUp(a, b, hung), attempt)).toBe('done');
    expect(attempt).toHaveBeenCalledTimes(3);
    expect([a, b, hung].map(({ isOurs }) => isOurs.mock.calls.length)).toEqual([1, 1, 0]);
  });

  it('reads the marker of the storage that is likely needed before the first attempt, and no other', async () => {
    const [a, b] = [storage('a', hangs), storage('b', there)];
    const attempt = workOn('b');
    expect(await attemptOn(setUpLikely('b', a, b), attempt)).toBe('done');
    expect(attempt).toHaveBeenCalledTimes(1);
    expect([a, b].map(({ isOurs }) => isOurs.mock.calls.length)).toEqual([0, 1]);
  });

  it.each([['only'], ['a', 'b']])('C5 refuses work on a storage without its marker: %j', async (...ids) => {
    const storages = setUp(...ids.map((id) => storage(id, away)));
    await expect(attemptOn(storages, workOn(ids[0] ?? ''))).rejects.toBeInstanceOf(UnavailableError);
    expect(await attemptOn(storages, workOn())).toBe('done');
  });

  it('refuses work on a storage that the worker does not serve, and passes other errors on', async () => {
    const storages = setUp(storage('a', there));
    await expect(attemptOn(storages, workOn('other'))).rejects.toBeInstanceOf(UnavailableError);
    await expect(attemptOn(storages, () => Promise.reject(new RangeError('else')))).rejects.toBeInstanceOf(RangeError);
  });
});
