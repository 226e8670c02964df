import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLogFile, rotateLogs } from './log-file.ts';

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

it('empties a large log that a program keeps open, and keeps its content', async () => {
  const [large, small] = [join(dir, 'app.log'), join(dir, 'small.log')];
  const log = openLogFile(large);
  const content = Buffer.alloc(10_000_001, 'x');
  writeSync(log.fd, content);
  writeFileSync(small, 'before\n');
  await rotateLogs(dir);
  writeSync(log.fd, 'after\n');
  log.close();
  expect(readFileSync(large, 'utf8')).toBe('after\n');
  expect(readFileSync(`${large}.1`).equals(content)).toBe(true);
  expect(readFileSync(small, 'utf8')).toBe('before\n');
  expect(existsSync(`${small}.1`)).toBe(false);
});
