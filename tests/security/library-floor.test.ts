import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const floors = {
  hono: '4.13.18',
  '@hono/node-server': '2.1.7',
  'isomorphic-git': '1.38.6',
  'drizzle-orm': '0.45.2',
  valibot: '1.2.0',
  postgres: '3.4.9',
  pino: '10.4.0',
};

const parts = (version: string) => version.split('.').map(Number);

function atLeast(version: string, floor: string): boolean {
  const [have, need] = [parts(version), parts(floor)];
  for (let index = 0; index < need.length; index += 1) {
    const difference = (have[index] ?? 0) - (need[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

async function lockedVersions(name: string): Promise<string[]> {
  const lock = await readFile(new URL('../../pnpm-lock.yaml', import.meta.url), 'utf8');
  const packages = lock.slice(lock.indexOf('\npackages:'), lock.indexOf('\nsnapshots:'));
  const pattern = new RegExp(`^  '?${name.replaceAll('/', '\\/')}@([0-9.]+)'?:`, 'gm');
  return [...packages.matchAll(pattern)].map(([, version]) => version ?? '');
}

describe('the lock file', () => {
  it.each(Object.entries(floors))('%s is at least %s', async (name, floor) => {
    const versions = await lockedVersions(name);
    expect(versions).not.toEqual([]);
    for (const version of versions) expect(atLeast(version, floor), version).toBe(true);
  });

  it('names no address of a registry', async () => {
    const lock = await readFile(new URL('../../pnpm-lock.yaml', import.meta.url), 'utf8');
    expect(lock).not.toMatch(/tarball:|https?:\/\/\S*registry/);
  });
});
