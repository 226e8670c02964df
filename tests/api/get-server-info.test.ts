import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { admin, makeUser } from '../harness/shared-cluster.ts';

interface ServerInfo {
  readonly git_version: string;
  readonly git_path: string;
  readonly hg_version: string;
  readonly hg_path: string;
  readonly modules: [string, string][];
}

/** Returns the command by which the workers of this run start a tool. */
function wordsOf(tool: 'git' | 'hg'): string[] {
  const words: unknown = JSON.parse(process.env[`TRUNKLINE_${tool.toUpperCase()}_COMMAND`] ?? `["${tool}"]`);
  return Array.isArray(words) ? words.map(String) : [];
}

describe('get_server_info', () => {
  it('returns the running versions to an administrator', async () => {
    const info = await admin.result<ServerInfo>('get_server_info');
    expect(info).toMatchObject({
      trunkline_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node_version: process.versions.node,
      platform: expect.stringMatching(/^\w+ \S+ \w+$/),
    });
    for (const tool of ['git', 'hg'] as const) {
      const words = wordsOf(tool);
      const [command = '', ...args] = words;
      expect(info[`${tool}_path`]).toBe(words.join(' '));
      expect(execFileSync(command, [...args, '--version'], { encoding: 'utf8' })).toContain(info[`${tool}_version`]);
      expect(info[`${tool}_version`]).toMatch(/^\d+\.\d+/);
    }
    const modules = new Map(info.modules);
    for (const name of ['nats', 'postgres', 'drizzle-orm', 'isomorphic-git', 'valibot']) {
      expect(modules.get(name)).toMatch(/^\d+\.\d+\.\d+/);
    }
  });

  it('is refused to other users', async () => {
    const { client } = await makeUser();
    expect(await client.error('get_server_info')).toBe('Access was denied to this resource.');
  });
});
