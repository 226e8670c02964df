import { assert, expect, it, vi } from 'vitest';
import { StreamSlices } from '../../serve/admission/stream-slices.ts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { begun, looksBinary } from './at-revision.ts';

const piece = Buffer.alloc(200_000, 'x');
const failed = new VcsError('failed', 'git ended with 128');

async function* sourceOf(pieces: number, error?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pieces; at += 1) yield piece;
  if (error) throw error;
}

function begin(source: AsyncIterable<Uint8Array>) {
  const recordUnreadable = vi.fn<() => void>();
  const streamSlices = new StreamSlices({ permits: 1 });
  const { signal } = new AbortController();
  const context = { recordUnreadable, streamSlices, callerKey: 'user 1', signal } as unknown as Parameters<
    typeof begun
  >[1];
  return { recordUnreadable, content: begun(source, context, {} as RepositoryAccess) };
}

async function bytesIn(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const { length } of content) bytes += length;
  return bytes;
}

it.each([
  ['a\0b', true],
  ['\xef\xbb\xbfa\0b', true],
  ['\xff\xfea\0', false],
  ['\xfe\xff\0a', false],
  ['\xff\xfe\0\0a\0\0\0', false],
  ['caf\xe9', false],
  [`${'x'.repeat(8_000)}\0`, false],
])('%j is binary: %s', (bytes, expected) => {
  expect(looksBinary(Buffer.from(bytes, 'latin1'))).toBe(expected);
});

it('short content comes whole', async () => {
  expect(await begin(sourceOf(1)).content).toEqual(piece);
});

it('longer content is a stream from its beginning', async () => {
  const content = await begin(sourceOf(3)).content;
  assert(!(content instanceof Uint8Array));
  expect(await bytesIn(content)).toBe(3 * piece.length);
});

it('content that is slow after its beginning is a stream', async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const slow = async function* () {
    yield piece;
    await held;
    yield piece;
  };
  const content = await begin(slow()).content;
  assert(!(content instanceof Uint8Array));
  goOn();
  expect(await bytesIn(content)).toBe(2 * piece.length);
});

it('content that cannot be read throws at its beginning, and is noted later', async () => {
  const atOnce = begin(sourceOf(1, failed));
  await expect(atOnce.content).rejects.toBe(failed);
  expect(atOnce.recordUnreadable).not.toHaveBeenCalled();
  const later = begin(sourceOf(3, failed));
  const content = await later.content;
  assert(!(content instanceof Uint8Array));
  await expect(bytesIn(content)).rejects.toBe(failed);
  expect(later.recordUnreadable).toHaveBeenCalledOnce();
});
