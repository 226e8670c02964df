import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { encodeError, BusyError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { parseFetched } from './fetch-repository.ts';

const head = {
  epoch: 1,
  generation: 7,
  // Longer than a piece, and than the megabyte that other lines have at most.
  lastChangeset: { rawId: 'a'.repeat(40), message: 'm'.repeat(3_000_000) },
  defaultBranch: null,
  refs: 'digest',
};

/** Cuts bytes into pieces as a socket might. */
function* cut(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

it.each([65_536, 4_000_000])(
  'parses a long first line in pieces of %i bytes, and returns the tree behind it',
  async (size) => {
    const tree = Buffer.from('frames\nof the tree');
    const content = Buffer.concat([Buffer.from(`   +${JSON.stringify(head)}\n`), tree]);
    const fetched = await parseFetched(Readable.from(cut(content, size)));
    expect(fetched.head).toEqual(head);
    expect(await buffer(fetched.tree)).toEqual(tree);
  },
);

it('throws the error of the worker, and one for what is no answer', async () => {
  const busy = Buffer.concat([Buffer.from(' -'), encodeError(new BusyError()).payload, Buffer.from('\n')]);
  await expect(parseFetched(Readable.from([busy]))).rejects.toThrow(BusyError);
  await expect(parseFetched(Readable.from([Buffer.from('+{"epoch":1')]))).rejects.toThrow('malformed');
});
