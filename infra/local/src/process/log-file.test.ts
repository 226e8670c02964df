import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

let dir = '';
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'trunkline-log-'))));
afterEach(() => rmSync(dir, { recursive: true }));

it('appends, and reads only text appended since the opening', () => {
  const path = join(dir, 'logs', 'app.log');
  openLogFile(path).close();
  writeFileSync(path, 'before\n');
  const log = openLogFile(path);
  writeSync(log.fd, 'after\n');
  expect(log.readNew()).toBe('after\n');
  log.close();
  expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
});

it('renames a large log before it opens a new one', () => {
  const path = join(dir, 'app.log');
  writeFileSync(path, '');
  truncateSync(path, 10_000_001);
  openLogFile(path).close();
  expect(readFileSync(path, 'utf8')).toBe('');
  expect(existsSync(`${path}.1`)).toBe(true);
});
