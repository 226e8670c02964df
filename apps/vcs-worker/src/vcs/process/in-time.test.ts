import { expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import { inTime } from './in-time.ts';

async function* endless(signal: AbortSignal): AsyncGenerator<number> {
  yield 1;
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new VcsError('cancelled', 'cancelled')));
  });
}

async function* failing(): AsyncGenerator<number> {
  yield 1;
  throw new VcsError('failed', 'the tool failed');
}

async function take(stream: AsyncIterable<number>) {
  const taken: number[] = [];
  try {
    for await (const value of stream) taken.push(value);
  } catch (error) {
    return [taken, error];
  }
  return [taken, null];
}

it('a stream that does not end in time ends with a timeout, after what it has yielded', async () => {
  expect(await take(inTime(20, endless))).toMatchObject([[1], { kind: 'timeout' }]);
});

it('a stream that fails or ends before does so itself', async () => {
  expect(await take(inTime(60_000, failing))).toMatchObject([[1], { kind: 'failed' }]);
  const short = async function* () {
    yield 2;
  };
  expect(await take(inTime(60_000, short))).toEqual([[2], null]);
});
