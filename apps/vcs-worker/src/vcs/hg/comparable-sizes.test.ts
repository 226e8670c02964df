import { expect, it, vi } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import type { HgCommandOptions, HgCommands } from './hg-commands.ts';
import { requireComparableSizes } from './comparable-sizes.ts';
import { NoServerError } from './server-pool.ts';

/** Commands that answer with these texts in turn, the last one again and again, or fail. */
function answering(...answers: readonly (string | Error)[]) {
  const asked: { args: readonly string[]; mayBeLong: boolean | undefined }[] = [];
  const run = async (_path: string, args: readonly string[], options?: HgCommandOptions) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? '';
    asked.push({ args, mayBeLong: options?.mayBeLong });
    if (typeof answer !== 'string') throw answer;
    return Buffer.from(answer);
  };
  const tryRun = () => Promise.reject(new Error('not asked for'));
  return { asked, hg: { run, tryRun } satisfies HgCommands };
}

const compare = (hg: HgCommands) => requireComparableSizes(hg, '/repository', '0'.repeat(40));

it('D8 looks up the sizes of many paths in steps, each of which goes on where the time of the last one was up', async () => {
  const { asked, hg } = answering('12000 9 5000\n', '12000 9 11000\n', '12000 9 12000\n');
  await compare(hg);
  expect(asked.map(({ args }) => args.find((arg) => arg.startsWith('--first=')))).toEqual([
    '--first=0',
    '--first=5000',
    '--first=11000',
  ]);
  expect(asked.every(({ mayBeLong }) => mayBeLong)).toBe(true);
});

it('D8 takes a minute for all steps together', async () => {
  const now = vi.spyOn(performance, 'now');
  let reached = 0;
  const run = async () => {
    now.mockReturnValue(4_000 * reached);
    reached += 1;
    return Buffer.from(`200000 9 ${reached}\n`);
  };
  now.mockReturnValue(0);
  await expect(compare({ ...answering('').hg, run })).rejects.toMatchObject({ kind: 'too-large' });
  expect(reached).toBe(16);
  now.mockRestore();
});

it('D8 asks no further when a step has come to no further path', async () => {
  const { asked, hg } = answering('12000 9 5000\n');
  await expect(compare(hg)).rejects.toMatchObject({ kind: 'too-large' });
  expect(asked).toHaveLength(2);
});

it.each([
  ['one that finds no end is too large', new VcsError('timeout', 'killed'), 'too-large'],
  ['one for which no server is free is not', new NoServerError(), 'timeout'],
  ['nor is one that its client has left', new VcsError('cancelled', 'gone'), 'cancelled'],
])('D8 of sizings, %s', async (_, error, kind) => {
  await expect(compare(answering(error).hg)).rejects.toMatchObject({ kind });
});

it.each(['200001 0 0', '1 67108865 1'])('D8 refuses what is beyond its bounds: %s', async (answer) => {
  await expect(compare(answering(`${answer}\n`).hg)).rejects.toMatchObject({ kind: 'too-large' });
});
