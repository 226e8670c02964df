import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, buildIsFresh, packageDirs, programs } from './build.mjs';

let root: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'trunkline-build-'));
  for (const path of ['tsconfig.json', 'pnpm-lock.yaml', 'infra/local/bootstrap/build.mjs']) write(path, '{}');
  for (const dir of packageDirs) {
    write(join(dir, 'package.json'), '{}');
    write(join(dir, 'src/index.ts'), 'export {};\n');
  }
  for (const [dir, entries] of Object.entries(programs)) {
    for (const path of Object.values(entries)) write(join(dir, path), 'console.log(1 as number);\n');
  }
});
afterAll(() => rmSync(root, { recursive: true }));

/** Returns the command lines of processes of esbuild that this one has started, and that have not ended. */
const builders = () => {
  const ids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8')).filter((line) => line.includes('esbuild'));
};

it('builds what has changed, and keeps neither former files nor a process', async () => {
  expect(buildIsFresh(root)).toBe(false);
  write('apps/gateway/dist/former.js', '');
  await build(root);
  expect(buildIsFresh(root)).toBe(true);
  expect(() => readFileSync(join(root, 'apps/gateway/dist/former.js'))).toThrow('ENOENT');
  expect(readFileSync(join(root, 'apps/gateway/dist/main.js'), 'utf8')).toContain('console.log(1)');
  await expect.poll(builders).toEqual([]);
  write('packages/db/src/index.ts', 'export const changed = true;\n');
  expect(buildIsFresh(root)).toBe(false);
});

it('names file and line of an error, and is then not fresh', async () => {
  write('apps/gateway/src/main.ts', 'const = 1;\n');
  await expect(build(root)).rejects.toThrow(/^apps\/gateway\/src\/main\.ts:1: .*\nThe build has failed\.$/);
  expect(buildIsFresh(root)).toBe(false);
  await expect.poll(builders).toEqual([]);
});
