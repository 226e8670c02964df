import { expect, it } from 'vitest';
import type { HgContentTools } from './hg-stream.ts';
import { readHgLastChanges } from './last-changes.ts';

const rawId = 'a'.repeat(40);
const printed = `${rawId}\x0086400\0Ann\0the subject\0one\0two\0\0`;

function tools(exitCode: number) {
  const streamed: string[][] = [];
  const found = {
    hg: { tryRun: async () => ({ exitCode, stdout: Buffer.from(exitCode === 0 ? printed : ''), stderr: 'no' }) },
    async *stream(_path: string, args: readonly string[]) {
      streamed.push([...args]);
      yield Buffer.from(printed);
    },
    lastChangesExtension: '/extension.py',
  };
  return { tools: found as unknown as HgContentTools, streamed };
}

it('D8 a process of its own finds what takes a kept server too long', async () => {
  for (const exitCode of [0, 1]) {
    const { tools: found, streamed } = tools(exitCode);
    const { newest, entries } = await readHgLastChanges(found, '/repo', rawId, '/src/');
    expect(newest).toEqual({ rawId, author: 'Ann', message: 'the subject', date: new Date(86_400_000) });
    expect([...entries.keys()]).toEqual(['one', 'two']);
    const own = [
      '--config=extensions.last_changes=/extension.py',
      'trunkline-last-changes',
      `--rev=${rawId}`,
      '--',
      'src',
    ];
    expect(streamed).toEqual(exitCode === 0 ? [] : [own]);
  }
});

it('a failure of Mercurial is one of the read', async () => {
  await expect(readHgLastChanges(tools(255).tools, '/repo', rawId, '')).rejects.toMatchObject({ kind: 'failed' });
});
