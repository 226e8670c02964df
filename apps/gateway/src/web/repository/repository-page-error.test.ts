import { BusyError, ForbiddenError, UnavailableError } from '@trunkline/contracts';
import { expect, it, vi } from 'vitest';
import type { Visit } from '../visit.ts';
import { readHead } from './repository-head.ts';
import { repositoryPageError } from './repository-page-error.ts';

const address = { repoid: 1, name: 'secret', rest: [] };
const failures = [new UnavailableError(), new BusyError()];

/** Returns a visit whose calls end as the reading of the repository's head does. */
function visitWith(readHead: () => Promise<object>): Visit {
  return { worker: { call: vi.fn(readHead) } } as unknown as Visit;
}

it.each(failures)(
  'B10 hides a repository whose storage is away, or busy, as one that does not exist: %s',
  async (error) => {
    const hidden = new ForbiddenError('Access was denied to this resource.');
    const visit = visitWith(() => Promise.reject(hidden));
    await expect(repositoryPageError(error, visit, address)).rejects.toBe(hidden);
  },
);

it.each(failures)('says that a repository is away, or busy, to whoever may read it: %s', async (error) => {
  expect(
    await repositoryPageError(
      error,
      visitWith(async () => ({})),
      address,
    ),
  ).toBe(error);
  expect(
    await repositoryPageError(
      error,
      visitWith(() => Promise.reject(new UnavailableError())),
      address,
    ),
  ).toBe(error);
});

it('asks only once for a head that cannot be read', async () => {
  const visit = visitWith(() => Promise.reject(new UnavailableError()));
  const error: unknown = await readHead(visit, address).catch((thrown: unknown) => thrown);
  expect(await repositoryPageError(error, visit, address)).toBe(error);
  expect(visit.worker.call).toHaveBeenCalledTimes(1);
});
