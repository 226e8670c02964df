import { expect, it } from 'vitest';
import { GenerationCache } from '../../cache/generation-cache.ts';
import { readGitLog } from './git-log.ts';
import { cacheHistories, createHistory } from './history.ts';
import { resolveGitRevision, type HistoryTools } from './resolve-revision.ts';

const ids = Array.from({ length: 300 }, (_, index) => `abcd${index.toString(16).padStart(36, '0')}`);

/** Returns tools on a repository of 300 commits of this size, whose content must not be read. */
function toolsOf(size: number): HistoryTools {
  const result = { exitCode: 0, stdout: Buffer.from(ids.slice(0, 1).join('\n')), stderr: '' };
  const walk = async () => Buffer.from(ids.map((id) => `1000 ${id}\n`).join(''));
  const tools = {
    walkUntil: () => walk,
    caches: cacheHistories(new GenerationCache(1e6)),
    state: undefined,
    signal: undefined,
  };
  return {
    history: createHistory(tools),
    walk,
    git: { run: async () => result.stdout, tryRun: async () => result, argv: () => [] },
    reader: {
      read: () => Promise.reject(new Error('content was read')),
      async check(_path, expression) {
        return expression.startsWith('refs/') ? null : { id: expression.slice(0, 40), type: 'commit', size };
      },
    },
  };
}

it('D8 a log of commits that are too large together is refused before the first of them is read', async () => {
  const tools = toolsOf(1024 * 1024);
  await expect(readGitLog(tools, '/repo', { withFiles: false })).rejects.toMatchObject({ kind: 'too-large' });
  await expect(readGitLog(tools, '/repo', { withFiles: false, limit: 2 })).rejects.toThrow('content was read');
});

it('D8 the candidates of an id prefix are compared without their content', async () => {
  const tools = toolsOf(15 * 1024 * 1024);
  // Names are looked up before prefixes, and there is no ref of this name.
  const read: HistoryTools['reader']['read'] = async (path, expression) =>
    expression.startsWith('refs/') ? null : tools.reader.read(path, expression);
  const named = { ...tools, reader: { ...tools.reader, read } };
  expect(await resolveGitRevision(named, '/repo', 'abcd')).toBe(ids[0]);
});
