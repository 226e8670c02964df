import { expect, it, vi } from 'vitest';
import type { Visit } from '../../visit.ts';
import { readRefs } from './refs-pages.tsx';

const listed = { refs: [], next: null, total: 0 };

/** Asks for references with a cursor; returns what workers were asked for. */
async function ask(cursor: string | null, isFormerWorker: boolean) {
  const callNew = vi.fn(async () => (isFormerWorker ? null : listed));
  const call = vi.fn(async () => listed);
  const worker = { callNew, call } as unknown as Visit['worker'];
  await readRefs({ worker }, 1, 'tag', { filter: 'v', cursor, order: 'newest' });
  return [callNew.mock.calls, call.mock.calls];
}

const asked = { repoid: 1, kind: 'tag', filter: 'v' };

it('a page of references is one command', async () => {
  const query = { ...asked, cursor: '100:v1', order: 'newest' };
  expect(await ask('100:v1', false)).toEqual([[['browse_refs', query]], []]);
});

it('a worker of the former release is asked by name, from the beginning or after its own cursor', async () => {
  expect((await ask('100:v1', true))[1]).toEqual([['list_refs', { ...asked, cursor: null }]]);
  expect(await ask('2v1', false)).toEqual([[], [['list_refs', { ...asked, cursor: '2v1' }]]]);
});
