import isomorphicGit from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { listLibraries } from './get-server-info.ts';

describe('listLibraries', () => {
  it('lists what the worker imports, directly or by its packages, with the installed versions', async () => {
    const versions = new Map(await listLibraries());
    expect(versions.get('isomorphic-git')).toBe(isomorphicGit.version());
    for (const name of ['drizzle-orm', 'postgres', 'nats', 'pino', 'valibot']) {
      expect(versions.get(name)).toMatch(/^\d+\.\d+\.\d+/);
    }
    expect([...versions.keys()]).toEqual([...versions.keys()].toSorted());
    expect([...versions.keys()].filter((name) => name.startsWith('@trunkline/'))).toEqual([]);
  });
});
