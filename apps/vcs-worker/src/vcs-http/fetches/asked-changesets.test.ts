import { expect, it } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import { AskedChangesets } from './asked-changesets.ts';

const many = `common=${'1'.repeat(40)}${`+${'2'.repeat(40)}`.repeat(2_000)}`;

it.each([
  ['', true],
  ['cg=1&heads=x', true],
  ['heads=x', true],
  ['heads=cg=0', true],
  ['xcg=0', true],
  [`cg=${'0'.repeat(300)}`, true],
  ['cg=1&cg=0', true],
  ['cg=0', false],
  ['cg=', false],
  ['cg', false],
  ['bookmarks=1&cg=0&heads=x', false],
  [`${many}&cg=0`, false],
  [`cg=0&${many}`, false],
  ['%63g=%30', false],
  ['cg=0&cg=1', false],
])('%.50j asks for changesets: %j', async (args, asks) => {
  const bytes = Buffer.from(args, 'latin1');
  expect(new AskedChangesets().add(bytes).areAsked).toBe(asks);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const asked = new AskedChangesets();
  expect(await collectBytes(asked.observe(pieces()))).toEqual(bytes);
  expect(asked.areAsked).toBe(asks);
});
