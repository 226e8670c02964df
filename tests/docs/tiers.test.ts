import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { beforeAll, expect, it } from 'vitest';
import { testFiles, testsOfRows } from './render-security-rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const Listed = v.array(v.object({ file: v.string(), projectName: v.string() }));

/** Returns the files that Vitest finds for a tier, one for each project that has it. */
async function filesOf(tier: string): Promise<string[]> {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  const args = [vitest, 'list', '--filesOnly', '--json', '--project=!bench'];
  const env = { ...process.env, TRUNKLINE_TEST_TIER: tier };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env, maxBuffer: 2 ** 24 });
  return v.parse(Listed, JSON.parse(stdout)).map(({ file }) => file.slice(root.length));
}

let quick: string[];
let long: string[];
beforeAll(async () => {
  [quick, long] = await Promise.all([filesOf('quick'), filesOf('long')]);
});

it('has each test file in exactly one project and tier', () => {
  expect([...quick, ...long].toSorted()).toEqual(testFiles().toSorted());
  expect(long.filter((file) => !file.includes('.long.test.'))).toEqual([]);
});

it('has a test of each row of the checklist in the quick tier', () => {
  const inQuick = new Set(quick);
  const without = [...testsOfRows()].filter(([, files]) => !files.some((file) => inQuick.has(file)));
  expect(without.map(([row]) => row)).toEqual([]);
});
