import * as contracts from '@trunkline/contracts';
import { busPermissions, requiredMark, type Method } from '@trunkline/contracts';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { findIncompatibilities } from './compare-contracts.ts';

const text = { schema: v.string(), summary: '', shownDefault: '', aliases: [] };
const before: Method = {
  ...contracts.methods.get_ip,
  args: { userid: { ...text, fallback: null, aliases: ['user'] } },
  result: v.nullable(v.strictObject({ id: v.number(), list: v.array(v.object({ name: v.string() })) })),
};

function faultsOf(after: Method | null, permissions: unknown = busPermissions): string[] {
  // Of the contracts, one method and the subjects.
  const release = (method: Method | null, subjects: unknown): typeof contracts =>
    Object.assign({}, contracts, { served: { ...(method && { get_ip: method }) }, busPermissions: subjects });
  return findIncompatibilities(release(before, busPermissions), release(after, permissions));
}

describe('findIncompatibilities', () => {
  it('finds none between a release and one that only adds', () => {
    expect(findIncompatibilities(contracts, contracts)).toEqual([]);
    const result = v.nullable(
      v.strictObject({
        id: v.number(),
        list: v.array(v.object({ name: v.string(), more: v.optional(v.object({ own: v.string() })) })),
        added: v.optional(v.number()),
      }),
    );
    expect(faultsOf({ ...before, args: { ...before.args, more: { ...text, fallback: '' } }, result })).toEqual([]);
  });

  it.each<[string, Method | null, string[]]>([
    ['a method', null, ['get_ip: it is not served any more']],
    ['a lane', { ...before, lane: 'storage' }, ['get_ip: its lane has become storage']],
    [
      'an argument and its other name',
      { ...before, args: {} },
      ['get_ip: its argument userid is gone', 'get_ip: its argument user is gone'],
    ],
    [
      'an argument that may be left out',
      { ...before, args: { userid: { ...text, fallback: requiredMark, aliases: ['user'] } } },
      ['get_ip: its argument userid has become required'],
    ],
    [
      'a result without a member',
      { ...before, result: v.strictObject({ id: v.number(), list: v.array(v.object({ more: v.string() })) }) },
      ['get_ip: its result has to have .list[].more'],
    ],
  ])('finds that %s is missed', (_what, after, faults) => {
    expect(faultsOf(after)).toEqual(faults);
  });

  it('finds that a subject is missed', () => {
    const worker = { ...busPermissions.worker, subscribe: busPermissions.worker.subscribe.slice(1) };
    expect(faultsOf(before, { ...busPermissions, worker })).toEqual([
      `a worker may no longer subscribe ${busPermissions.worker.subscribe[0]}`,
    ]);
  });
});
