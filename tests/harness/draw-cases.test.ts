import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Not spelled in the names of the fixture's tests, which are no tests of the checklist. */
const row = 'C4';
const drawn = `
import { describe, it } from 'vitest';
import { drawNamed, drawTests } from ${JSON.stringify(fileAt('draw-cases.ts'))};
drawTests(2);
describe.each(['git', 'hg'])('%s', () => {
  it('twin', () => {});
  it('${row} twin', () => {});
});
describe('${row} rows', () => it('alone', () => {}));
it('${row} alone', () => {});
for (let index = 0; index < 20; index += 1) it('other ' + index, () => {});
const whenDrawn = drawNamed(['a', 'b', 'c'], 1);
for (const name of ['a', 'b', 'c']) it('${row} named ' + name, whenDrawn(name), () => {});
`;
const Report = v.object({
  testResults: v.tuple([
    v.object({ assertionResults: v.array(v.object({ fullName: v.string(), status: v.string() })) }),
  ]),
});
let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'trunkline-draws-'));
  writeFileSync(join(root, 'vitest.config.mjs'), 'export default { test: { maxWorkers: 1 } };');
  writeFileSync(join(root, 'drawn.test.js'), drawn);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Returns the names of the tests that run with this seed. */
async function runWith(seed: string, form = '0'): Promise<string[]> {
  const vitest = fileAt('../../node_modules/vitest/vitest.mjs');
  const env = { ...process.env, TRUNKLINE_TEST_SEED: seed, TRUNKLINE_TEST_LONG: form };
  const args = [vitest, 'run', '--root', root, '--reporter=json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const [{ assertionResults }] = v.parse(Report, JSON.parse(stdout)).testResults;
  return assertionResults.flatMap(({ fullName, status }) => (status === 'passed' ? fullName : []));
}

it('a short run has one of the tests of one name, all others of the checklist, and some of the rest', async () => {
  const runs = [await runWith('1'), await runWith('2')];
  for (const names of runs) {
    const named = (part: string) => names.filter((name) => name.includes(part));
    expect([named(' twin'), named(` ${row} twin`), named(`${row} named`)].map(({ length }) => length)).toEqual([
      2, 1, 1,
    ]);
    expect(named('alone')).toEqual([`${row} rows alone`, `${row} alone`]);
    expect(named('other').length).toBeGreaterThan(2);
    expect(named('other').length).toBeLessThan(18);
  }
  expect(runs[0]).not.toEqual(runs[1]);
  expect(await runWith('1')).toEqual(runs[0]);
});

it('a long run has all of them', async () => {
  expect(await runWith('1', '1')).toHaveLength(29);
});
