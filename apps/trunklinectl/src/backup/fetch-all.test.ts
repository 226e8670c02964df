import { expect, it } from 'vitest';
import { noticeFailure } from './fetch-all.ts';

it('throws the first error of the target again, whatever is written later', async () => {
  const written: string[] = [];
  const sink = noticeFailure({
    write: async (name) => {
      if (name.startsWith('full')) throw new Error(`no space for ${name}`);
      written.push(name);
    },
  });
  await sink.write('one', Buffer.alloc(1));
  sink.requireNone();
  await expect(sink.write('full.1', Buffer.alloc(1))).rejects.toThrow('no space for full.1');
  await expect(sink.write('full.2', Buffer.alloc(1))).rejects.toThrow('no space for full.2');
  await sink.write('two', Buffer.alloc(1));
  expect(() => sink.requireNone()).toThrow('no space for full.1');
  expect(written).toEqual(['one', 'two']);
});
