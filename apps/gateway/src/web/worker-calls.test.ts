import { Readable } from 'node:stream';
import { MethodNotFoundError, NotFoundError, UnavailableError } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { workerCalls } from './worker-calls.ts';

const caller = { userId: 1, ip: '127.0.0.1', credential: { kind: 'anonymous' } } as const;

/** Returns the calls of a worker that is lost in the middle of its answer. */
function lost(): ReturnType<typeof workerCalls> {
  async function* pieces() {
    yield Buffer.from('{"size":');
    throw new BusError('lost');
  }
  return workerCalls(
    async () => ({ length: null, stream: Readable.from(pieces(), { objectMode: false }) }),
    caller,
    {},
    new AbortController().signal,
  );
}

it('call and open throw UnavailableError when the answer breaks off', async () => {
  const at = { repoid: 1, revision: 'tip', path: 'a' };
  await expect(lost().call('view_path', at)).rejects.toThrow(UnavailableError);
  await expect(lost().open('download_file', at)).rejects.toThrow(UnavailableError);
});

it('callNew returns null for a view that the worker does not know, and throws other errors', async () => {
  const failing = (error: Error) =>
    workerCalls(
      async ({ endsWhenUnknown }) => {
        expect(endsWhenUnknown).toBe(true);
        throw error;
      },
      caller,
      {},
      new AbortController().signal,
    );
  const at = { repoid: 1, revision: 'tip', path: '' };
  expect(await failing(new MethodNotFoundError('x')).callNew('view_files_page', at)).toBeNull();
  await expect(failing(new NotFoundError('x')).callNew('view_files_page', at)).rejects.toThrow(NotFoundError);
});
