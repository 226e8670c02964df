import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const reporter = fileURLToPath(new URL('count-reporter.mjs', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trunkline-reporter-'));
  writeFileSync(
    join(root, 'vitest.config.mjs'),
    'export default { test: { name: "fixture", globals: true, maxWorkers: 1 } };',
  );
});
afterEach(() => rmSync(root, { recursive: true }));

/** Runs the test files of `root`; `output` ends with the lines of the reporter. */
function runTests(...options: string[]) {
  const child = spawn(process.execPath, [vitest, 'run', '--root', root, `--reporter=${reporter}`, ...options]);
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  return { child, ended: once(child, 'close').then(([code]) => ({ code, lines: output.trim().split('\n') })) };
}

it('counts tests, and a file that cannot be loaded as one failed test', async () => {
  writeFileSync(join(root, 'mixed.test.js'), "it('a', () => {}); it('b', () => expect(1).toBe(2)); it.skip('c');");
  writeFileSync(join(root, 'broken.test.js'), "throw new Error('broken');");
  const { code, lines } = await runTests().ended;
  expect(code).toBe(1);
  expect(lines.slice(-2)).toEqual(['skipped: c (no reason given)', '1 passed, 2 failed']);
});

it('says why a test is skipped, be it at its begin or by its options', async () => {
  const skipped =
    "it('a', ({ skip }) => skip('because')); it('b', { skip: true, meta: { skipReason: 'left out' } }, () => {}); describe('c', { skip: true, meta: { skipReason: 'with its suite' } }, () => it('d', () => {})); it('e', () => {});";
  writeFileSync(join(root, 'skipped.test.js'), skipped);
  const { lines } = await runTests().ended;
  expect(lines.slice(-4)).toEqual([
    'skipped: a (because)',
    'skipped: b (left out)',
    'skipped: c > d (with its suite)',
    '1 passed, 0 failed',
  ]);
});

it('gives the warning of a file as the reason of tests that its conditions skip', async () => {
  const skipped =
    "console.warn('hg was not found\\nfurther'); it.skipIf(true)('a', () => {}); describe.runIf(false)('b', () => it('c', () => {})); it('d', () => { console.warn('of a test'); });";
  writeFileSync(join(root, 'skipped.test.js'), skipped);
  const { lines } = await runTests().ended;
  expect(lines.slice(-3)).toEqual([
    'skipped: a (hg was not found)',
    'skipped: b > c (hg was not found)',
    '1 passed, 0 failed',
  ]);
});

it('names the tests that passed at their second attempt only', async () => {
  const flaky =
    "let tries = 0; it('a', () => expect(tries++).toBe(1)); it('b', () => expect(1).toBe(2)); it.fails('c', () => expect(1).toBe(2));";
  writeFileSync(join(root, 'flaky.test.js'), flaky);
  const { code, lines } = await runTests('--retry=1').ended;
  expect(code).toBe(1);
  expect(lines.slice(-2)).toEqual([
    'passed at the second attempt: a (expected +0 to be 1 // Object.is equality)',
    '2 passed, 1 failed',
  ]);
});

it('names the files that a run that was cut off did not run to their end', async () => {
  const begun = join(root, 'begun');
  const hang = `it('hangs', () => { require('node:fs').writeFileSync(${JSON.stringify(begun)}, ''); return new Promise(() => {}); });`;
  writeFileSync(join(root, 'quick.test.js'), `it('a', () => {});${' '.repeat(hang.length)}`);
  writeFileSync(join(root, 'hangs.test.js'), hang);
  writeFileSync(join(root, 'never.test.js'), "it('b', () => {});");
  const { child, ended } = runTests();
  await vi.waitUntil(() => existsSync(begun), 100_000);
  child.kill('SIGTERM');
  const { code, lines } = await ended;
  expect(code).not.toBe(0);
  expect(lines.at(-2)).toBe('not run to the end: 2 of 3 files of fixture: hangs.test.js, never.test.js');
  expect(lines.at(-1)).toBe('1 passed, 1 failed');
});
