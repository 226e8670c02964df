import { Readable } from 'node:stream';
import { ForbiddenError, methods, UnavailableError } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { laneOf, type Command } from './command.ts';
import { toEveryStorage } from './every-storage.ts';
import type { KnownStorage } from './storage-directory.ts';

const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const active = { weight: 100, capacityBytes: null, freeBytes: null };

/** Answers calls about a storage with these results; a storage without a result is away. */
function setUp(states: Record<string, KnownStorage['state']>, results: Record<string, unknown>) {
  const sent: Command[] = [];
  const all = Object.entries(states).map(([name, state]) => ({ ...active, id: name, name, state }));
  const dispatch = toEveryStorage(
    async (command) => {
      sent.push(command);
      const result = results[command.storage ?? 'any'];
      if (result instanceof Error) throw result;
      if (result === undefined) throw new UnavailableError();
      if (result instanceof Readable) return { length: null, stream: result };
      return Buffer.from(JSON.stringify(result));
    },
    { all: async () => all },
  );
  const run = async (method: Command['method'] = methods.rescan_repos): Promise<unknown> => {
    const payload = await dispatch({ method, lane: laneOf(method, {}), args: {}, caller, requestId });
    return JSON.parse(Buffer.from(payload instanceof Uint8Array ? payload : []).toString());
  };
  return { sent, run };
}

const a = { added: ['a1'], removed: [] };
const b = { added: ['b1'], removed: ['b0'] };

it('asks the workers of every storage, each part under an id of its own, and merges their results', async () => {
  const { sent, run } = setUp({ a: 'active', b: 'read-only', c: 'lost' }, { a, b });
  expect(await run()).toEqual({ added: ['a1', 'b1'], removed: ['b0'] });
  expect(sent.map(({ storage }) => storage)).toEqual(['a', 'b']);
  expect(sent[0]?.requestId).toBe(requestId);
  expect(sent[1]?.requestId).not.toBe(requestId);
});

it('names the storages that are away', async () => {
  const { sent, run } = setUp({ a: 'active', b: 'active', c: 'offline' }, { a });
  expect(await run()).toEqual({ added: ['a1'], removed: [], away: ['b', 'c'] });
  expect(sent).toHaveLength(2);
  await expect(setUp({ a: 'active', b: 'active' }, {}).run()).rejects.toThrow(UnavailableError);
});

it('names a storage whose answer breaks off among those that are away', async () => {
  async function* pieces() {
    yield Buffer.from('{"added":');
    throw new BusError('lost');
  }
  const { run } = setUp({ a: 'active', b: 'active' }, { a, b: Readable.from(pieces(), { objectMode: false }) });
  expect(await run()).toEqual({ added: ['a1'], removed: [], away: ['b'] });
});

it('fails with the error of a part', async () => {
  const error = new ForbiddenError('Access was denied to this resource.');
  await expect(setUp({ a: 'active', b: 'active' }, { a, b: error }).run()).rejects.toThrow(error);
});

it('sends one call with one storage, and for methods that concern one storage', async () => {
  const one = setUp({ a: 'active' }, { any: a });
  expect(await one.run()).toEqual(a);
  expect(one.sent).toMatchObject([{ requestId }]);
  const other = setUp({ a: 'active', b: 'active' }, { any: 'done' });
  expect(await other.run(methods.get_server_info)).toBe('done');
  expect(other.sent).toHaveLength(1);
});
