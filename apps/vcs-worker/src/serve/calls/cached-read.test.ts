import { setImmediate as turn } from 'node:timers/promises';
import { NotFoundError } from '@trunkline/contracts';
import { assert, describe, expect, it } from 'vitest';
import { createLaneSlots } from '../admission/lane-slots.ts';
import type { Access, RepositoryAccess } from '../../authz/authorize.ts';
import { GenerationCache } from '../../cache/generation-cache.ts';
import { EncodedReply, replyKey, ReplyCache } from '../../cache/reply-cache.ts';
import type { Call } from './call.ts';
import { cachedRead, cachedReply } from './cached-read.ts';

const repository = { id: 1, uuid: 'u', name: 'lib', generation: 1, tipId: null } as RepositoryAccess;
const access = { repository } as Access;
const live = new AbortController().signal;
const args = { repoid: 'lib' };

function setUp(size = 1, isShortOfMemory = () => false) {
  const slots = createLaneSlots(size);
  const replyCache = new ReplyCache(new GenerationCache(1e6));
  const callWith = (
    slot: Call['frame']['slot'],
    {
      signal = live,
      authorized = async () => access,
    }: Partial<Pick<Call, 'authorized'>> & { signal?: AbortSignal } = {},
  ) =>
    ({
      environment: { repositoryService: { tools: { replyCache, isShortOfMemory } } },
      frame: { slot, signal },
      method: { name: 'get_repo_refs' },
      authorized,
    }) as unknown as Call;
  const keep = () =>
    replyCache.get(
      replyKey('get_repo_refs', args, repository),
      { make: async () => Buffer.from('"kept"'), isUnchanged: async () => true },
      live,
    );
  return { slots, callWith, keep };
}

const textOf = (result: unknown) => {
  assert(result instanceof EncodedReply);
  return Buffer.from(result.payload).toString();
};
const never = () => Promise.reject(new Error('the reply was kept'));

describe('cachedRead', () => {
  it('a kept reply is returned while other calls hold all slots', async () => {
    const { slots, callWith, keep } = setUp();
    await keep();
    slots.tryTake('other');
    const slot = slots.takeLater('caller');
    expect(textOf(await cachedRead(callWith(slot), args, never))).toBe('"kept"');
    slot.end();
    expect(slots.held).toBe(1);
  });

  it('a kept reply is for callers alone who have the right when they ask', async () => {
    const { slots, callWith, keep } = setUp();
    await keep();
    const refused = async () => Promise.reject(new NotFoundError('repository `lib` does not exist'));
    const call = callWith(slots.takeLater('caller'), { authorized: refused });
    await expect(cachedRead(call, args, never)).rejects.toThrow('repository `lib` does not exist');
  });

  it('a kept reply is returned while the children are short of memory, and none is made', async () => {
    let isShort = false;
    const { slots, callWith, keep } = setUp(1, () => isShort);
    await keep();
    isShort = true;
    const call = callWith(slots.takeLater('caller'));
    expect(textOf(await cachedRead(call, args, never))).toBe('"kept"');
    const error = { quota: 'memory' };
    await expect(cachedRead(call, { ...args, revision: 1 }, never)).rejects.toMatchObject(error);
    expect(slots.held).toBe(0);
  });

  it('a reply that has to be made waits for a slot', async () => {
    const { slots, callWith } = setUp();
    const other = slots.tryTake('other');
    const slot = slots.takeLater('caller');
    let held = 0;
    const made = cachedRead(callWith(slot), args, async () => (held = slots.held));
    await turn();
    expect(held).toBe(0);
    other?.end();
    expect(textOf(await made)).toBe('1');
    slot.end();
    await turn();
    expect(slots.held).toBe(0);
  });

  it('E7 calls that share a reply hold one slot, until it is made, even when the first client goes', async () => {
    const { slots, callWith } = setUp(3);
    const gone = new AbortController();
    let finish = (_result: unknown): void => {};
    const result = new Promise((resolve) => (finish = resolve));
    const taken = [slots.tryTake('first'), slots.tryTake('second'), slots.tryTake('third')];
    const [first, ...others] = taken.map((slot, index) => {
      assert(slot);
      return cachedRead(callWith(slot, index === 0 ? { signal: gone.signal } : {}), args, () => result).finally(() =>
        slot.end(),
      );
    });
    await turn();
    expect(slots.held).toBe(1);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(slots.held).toBe(1);
    finish('shared');
    expect((await Promise.all(others)).map(textOf)).toEqual(['"shared"', '"shared"']);
    await turn();
    expect(slots.held).toBe(0);
  });
});

it('E6 a call of several replies takes its slot again for the one that it makes after another call made the first', async () => {
  const { slots, callWith } = setUp(2);
  let finish = (_result: unknown): void => {};
  const result = new Promise((resolve) => (finish = resolve));
  const [one, two] = [slots.tryTake('one'), slots.tryTake('two')];
  assert(one && two);
  const first = { name: 'view_path', args } as const;
  const made = cachedReply(callWith(one), repository, first, () => result);
  await turn();
  const call = callWith(two);
  const shared = cachedReply(call, repository, first, never);
  await turn();
  expect(slots.held).toBe(1);
  finish('shared');
  expect(await shared).toEqual(await made);
  one.end();
  await turn();
  expect(slots.held).toBe(0);
  let held = 0;
  await cachedReply(call, repository, { name: 'list_refs', args }, async () => (held = slots.held));
  expect(held).toBe(1);
  two.end();
  await turn();
  expect(slots.held).toBe(0);
});
