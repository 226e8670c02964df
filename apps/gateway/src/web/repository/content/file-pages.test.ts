import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { Visit } from '../../visit.ts';
import { rawPage } from './file-pages.ts';

const address = { repoid: 1, name: 'repo', rest: ['tip', 'file'] };
const known = { raw_id: 'a'.repeat(40), size: 1_000_000 };

/** Asks for a file whose content is never read; returns the answer, and what was asked of workers. */
async function ask(headers: Readonly<Record<string, string>>, isFormerWorker = false) {
  const body = new Readable({
    read() {
      throw new Error('content was read');
    },
  });
  const callNew = vi.fn(async () => (isFormerWorker ? null : known));
  const open = vi.fn(async () => ({ head: { rawId: known.raw_id, size: known.size, binary: false }, body }));
  const visit = {
    http: { incoming: { method: 'GET', headers } },
    visitor: { caller: { credential: { kind: 'session' } } },
    worker: { callNew, open },
  } as unknown as Visit;
  const answer = await rawPage.get?.(visit, address);
  return { answer, asked: callNew.mock.calls, opened: open.mock.calls.length, isDestroyed: body.destroyed };
}

const none = 'bytes=1000000-';
const tag = (await ask({ range: none })).answer?.headers.get('etag') ?? '';
const byId = { repoid: 1, revision: 'tip', of: 'file' };

describe('a file is not opened', () => {
  it('to say that it is unchanged, for which its changeset is enough', async () => {
    const { answer, asked, opened } = await ask({ 'if-none-match': tag });
    expect([answer?.status, asked, opened]).toEqual([304, [['view_content_id', byId]], 0]);
  });

  it('to say that it is there at all, or has no such part, for which its size is enough', async () => {
    const withPath = [['view_content_id', { ...byId, path: 'file' }]];
    const { answer, asked, opened } = await ask({ range: none });
    expect([answer?.status, asked, opened]).toEqual([416, withPath, 0]);
    const any = await ask({ 'if-none-match': '*' });
    expect([any.answer?.status, any.asked, any.opened]).toEqual([304, withPath, 0]);
  });
});

it.each([
  [{ 'if-none-match': tag }, 304],
  [{ range: none }, 416],
])('a worker of the former release opens it, and nothing of it is read: %o', async (headers, status) => {
  const { answer, opened, isDestroyed } = await ask(headers, true);
  expect([answer?.status, opened, isDestroyed]).toEqual([status, 1, true]);
});
