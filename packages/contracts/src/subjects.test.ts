import { describe, expect, it } from 'vitest';
import { laneNames, type Lane } from './lanes.ts';
import { methods } from './methods/index.ts';
import { subjects } from './subjects.ts';

const storages = ['default', 'metadata', 'storage', 'rpc'];
const workers = laneNames.flatMap((lane): { lane: Lane; storage: string | null }[] =>
  lane === 'metadata' ? [{ lane, storage: null }] : storages.map((storage) => ({ lane, storage })),
);

it.each(workers)('a worker of the lane $lane of the storage $storage receives the calls of no other', (one) => {
  const lanePattern = new RegExp(
    `^${subjects.rpcLane(one.lane, one.storage).replaceAll('.', '\\.').replace('*', '[^.]+')}$`,
  );
  for (const method of Object.keys(methods)) {
    for (const other of workers)
      expect(lanePattern.test(subjects.rpc(other.lane, other.storage, method))).toBe(other === one);
  }
});

describe('E2 the name of a storage in a subject', () => {
  it.each(['', 'A', 'a.b', 'a b', '*', '>', 'x'.repeat(33), 'a\r\nPUB'])('is not %j', (storage) => {
    expect(() => subjects.rpc('storage', storage, 'get_repo_nodes')).toThrow('must be 1 to 32');
    expect(() => subjects.copy(storage)).toThrow('must be 1 to 32');
  });

  it('is given in every lane but metadata', () => {
    expect(() => subjects.rpc('storage', null, 'get_repo_nodes')).toThrow('the lane storage');
    expect(() => subjects.ping('metadata', 'default')).toThrow('the lane metadata');
  });
});
