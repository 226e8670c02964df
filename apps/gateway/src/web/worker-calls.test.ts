import { Readable } from 'node:stream';
import { UnavailableError } from '@trunkline/contracts';
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
