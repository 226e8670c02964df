import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPrograms } from './open-programs.ts';

// Whoever runs the tests is somebody else.
const stranger = { uid: (process.geteuid?.() ?? 0) + 1, gid: (process.getegid?.() ?? 0) + 1 };
let base = '';
let checkout = '';
let copyDir = '';

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'trunkline-programs-'));
  chmodSync(base, 0o755);
  [checkout, copyDir] = [join(base, 'checkout'), join(base, 'copy')];
  for (const app of ['gateway', 'vcs-worker']) {
    write(`apps/${app}/package.json`, '{"dependencies":{"used":"1"}}');
    write(`apps/${app}/dist/main.js`, app);
    write(`apps/${app}/src/main.ts`, 'source');
    mkdirSync(join(checkout, 'apps', app, 'node_modules'));
    symlinkSync('../../../node_modules/.store/used', join(checkout, 'apps', app, 'node_modules', 'used'));
  }
  write('node_modules/.store/used/package.json', '{}');
  write('node_modules/.store/used/src/index.js', 'used');
  write('node_modules/.store/unused/package.json', '{}');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('runs the programs of a checkout that the user can read where they are', () => {
  expect(openPrograms(checkout, copyDir, stranger)).toMatchObject({
    gateway: join(checkout, 'apps/gateway/dist/main.js'),
    worker: join(checkout, 'apps/vcs-worker/dist/main.js'),
  });
  expect(existsSync(copyDir)).toBe(false);
});

it('copies those of a closed checkout, with what they depend on, and anew each time', () => {
  chmodSync(checkout, 0o700);
  const { gateway } = openPrograms(checkout, copyDir, stranger);
  expect(readFileSync(gateway, 'utf8')).toBe('gateway');
  expect(gateway).toBe(join(copyDir, 'apps/gateway/dist/main.js'));
  expect(readFileSync(join(copyDir, 'apps/vcs-worker/node_modules/used/src/index.js'), 'utf8')).toBe('used');
  for (const path of ['apps/gateway/src', 'node_modules/.store/unused']) {
    expect([path, existsSync(join(copyDir, path))]).toEqual([path, false]);
  }
  write('apps/gateway/dist/main.js', 'changed');
  openPrograms(checkout, copyDir, stranger);
  expect(readFileSync(gateway, 'utf8')).toBe('changed');
  expect(openPrograms(checkout, copyDir, null).gateway).toBe(join(checkout, 'apps/gateway/dist/main.js'));
  expect(existsSync(copyDir)).toBe(false);
});
