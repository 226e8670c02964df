import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DiffFile } from './diff-file.ts';
import { createDiffParser } from './parse-diff.ts';

const run = promisify(execFile);
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parse-diff-'));
});
afterAll(() => rm(directory, { recursive: true }));

function tool(program: string, cwd: string) {
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, LC_ALL: 'C.UTF-8' },
    ...{ HGRCPATH: '', HGPLAIN: '1', HGUSER: 'a', GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
  };
  return async (...args: string[]) => (await run(program, args, { cwd, env, encoding: 'utf8' })).stdout;
}

type Tool = ReturnType<typeof tool>;
const systems = {
  git: {
    start: async (git: Tool) => git('init', '--quiet'),
    commit: async (git: Tool) => {
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', 'a');
    },
    diff: (git: Tool) => git('diff', '--find-renames', 'HEAD~', 'HEAD'),
  },
  hg: {
    start: async (hg: Tool) => hg('init'),
    commit: async (hg: Tool) => {
      await hg('addremove', '--quiet', '--similarity', '90');
      await hg('commit', '--message', 'a', '--config', 'ui.allowemptycommit=yes');
    },
    diff: (hg: Tool) => hg('diff', '--git', '--change', '.'),
  },
};

/** Returns the lines of a file after its diff is applied; undefined when the diff does not fit the lines before. */
function applied(before: readonly string[], file: DiffFile | undefined): string[] | undefined {
  const after: string[] = [];
  let at = 0;
  for (const line of file?.hunks.flatMap(({ lines }) => lines) ?? []) {
    if (line.oldLine !== null) {
      while (at < line.oldLine - 1) after.push(before[at++] ?? '');
      if (before[at++] !== line.text) return undefined;
    }
    if (line.kind === 'added') {
      while (after.length < (line.newLine ?? 0) - 1) after.push(before[at++] ?? '');
    }
    if (line.newLine !== null) after.push(line.text);
  }
  return [...after, ...before.slice(at)];
}

const contentLine = fc.constantFrom(
  'a',
  'b',
  '',
  '-- a/x',
  '++ b/x',
  '@@ -1 +1 @@',
  'diff --git a/x b/x',
  '\\ No newline',
  'ä\r',
);
const content = fc.array(contentLine, { maxLength: 40 });
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

it.each(['git', 'hg'] as const)('rebuilds the changed file from any diff of %s', async (name) => {
  const system = systems[name];
  const at = join(directory, `any-${name}`);
  await mkdir(at);
  const call = tool(name, at);
  await system.start(call);
  // One commit has many files, since a commit takes long.
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(content, content), { minLength: 60, maxLength: 60 }), async (pairs) => {
      for (const [index, [before]] of pairs.entries()) await writeFile(join(at, `${index}`), textOf(before));
      await system.commit(call);
      for (const [index, [, after]] of pairs.entries()) await writeFile(join(at, `${index}`), textOf(after));
      await system.commit(call);
      const parser = createDiffParser();
      parser.feed(Buffer.from(await system.diff(call)));
      const { files } = parser.end();
      for (const [index, [before, after]] of pairs.entries()) {
        const file = files.find(({ newPath }) => newPath === `${index}`);
        expect(applied(before, file)).toEqual(after);
      }
    }),
    { numRuns: 1, endOnFailure: true },
  );
});

it.each(['git', 'hg'] as const)('reads names, modes, renames and binary files of %s', async (name) => {
  const system = systems[name];
  const at = join(directory, `names-${name}`);
  await mkdir(at);
  const call = tool(name, at);
  await system.start(call);
  const names = ['plain', 'with space', 'ä/ü', 'a b/c b/a b', 'tab\there', 'back\\slash', 'in"side'];
  const write = async (file: string, text: string | Uint8Array) => {
    await mkdir(dirname(join(at, file)), { recursive: true });
    await writeFile(join(at, file), text);
  };
  for (const file of names) await write(file, 'one\ntwo\n');
  await write('moved from', 'long\n'.repeat(50));
  await write('script', 'x\n');
  await write('gone', '-- a/x\n');
  await write('binary', Buffer.from([0, 1, 2, 3]));
  await system.commit(call);
  for (const file of names) await write(file, 'one\nzwei');
  await rename(join(at, 'moved from'), join(at, 'moved to'));
  await chmod(join(at, 'script'), 0o755);
  await rm(join(at, 'gone'));
  await write('new file', '++ b/x\n');
  await write('empty', '');
  await write('binary', Buffer.from([0, 3, 2, 1]));
  await system.commit(call);

  const parser = createDiffParser();
  parser.feed(Buffer.from(await system.diff(call)));
  const files = parser
    .end()
    .files.map(({ change, oldPath, newPath, linesAdded, linesRemoved, isBinary }) =>
      [change, oldPath, newPath, linesAdded, linesRemoved, isBinary].join(' | '),
    );
  expect(files.sort()).toEqual(
    [
      ...names.map((file) => `changed | ${file} | ${file} | 1 | 1 | false`),
      'renamed | moved from | moved to | 0 | 0 | false',
      'mode | script | script | 0 | 0 | false',
      'removed | gone |  | 0 | 1 | false',
      'added |  | new file | 1 | 0 | false',
      'added |  | empty | 0 | 0 | false',
      'changed | binary | binary | 0 | 0 | true',
    ].sort(),
  );
});
