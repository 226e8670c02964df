import { expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import type { HgCommandOptions, HgCommands } from './hg-commands.ts';
import { requireComparable } from './require-comparable.ts';
import { NoServerError } from './server-pool.ts';

/** Commands that answer with a text, or fail. */
function answering(answer: string | Error) {
  const asked: { args: readonly string[]; mayBeLong: boolean | undefined }[] = [];
  const run = async (_path: string, args: readonly string[], options?: HgCommandOptions) => {
    asked.push({ args, mayBeLong: options?.mayBeLong });
    if (typeof answer !== 'string') throw answer;
    return Buffer.from(answer);
  };
  const tryRun = () => Promise.reject(new Error('not asked for'));
  return { asked, hg: { run, tryRun } satisfies HgCommands };
}

const compare = (hg: HgCommands) => requireComparable(hg, '/repository', '0'.repeat(40));

it('D8 looks up the sizes of many paths in steps of 5,000, each of which may take long', async () => {
  const { asked, hg } = answering('12000 9\n');
  await compare(hg);
  expect(asked.map(({ args }) => args.find((arg) => arg.startsWith('--first=')))).toEqual([
    '--first=0',
    '--first=5000',
    '--first=10000',
  ]);
  expect(asked.every(({ mayBeLong }) => mayBeLong)).toBe(true);
});

it.each([
  ['one that finds no end is too large', new VcsError('timeout', 'killed'), 'too-large'],
  ['one for which no server is free is not', new NoServerError(), 'timeout'],
  ['nor is one that its client has left', new VcsError('cancelled', 'gone'), 'cancelled'],
])('D8 of sizings, %s', async (_, error, kind) => {
  await expect(compare(answering(error).hg)).rejects.toMatchObject({ kind });
});

it.each(['200001 0', '1 67108865'])('D8 refuses what is beyond its bounds: %s', async (answer) => {
  await expect(compare(answering(`${answer}\n`).hg)).rejects.toMatchObject({ kind: 'too-large' });
});
