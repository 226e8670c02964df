import { readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredChangeset } from '@trunkline/db';
import * as v from 'valibot';
import { hasCode } from '../has-code.ts';
import { measureSizes } from '../storage/measure-size.ts';
import type { NameChange } from '../vcs/push.ts';

const StoredTip: v.GenericSchema<StoredChangeset> = v.object({
  rawId: v.string(),
  revision: v.number(),
  author: v.string(),
  date: v.number(),
  message: v.string(),
});

const ForeseenSchema = v.object({
  /** The generation of the repository that was looked at. */
  generation: v.number(),
  tip: v.nullable(StoredTip),
  sizeBytes: v.nullable(v.number()),
  /** The size that was recorded when the repository was measured. */
  recordedBytes: v.nullable(v.number()),
  /** Whether so many commits lack from the index of the history that it has to be written. */
  needsIndex: v.boolean(),
});

/**
 * What a repository is like once a push is visible, read before the push takes it. The names that the push changes were
 * as its client saw them.
 */
export type Foreseen = v.InferOutput<typeof ForeseenSchema>;

/** Commits that may lack from the index of the history: a walk reads them in milliseconds. */
const unindexedMax = 256;

const pathIn = (directory: string) => join(directory, 'foreseen');

/** Returns whether a push that makes a history of `before` commits one of `after` has its index written. */
export function needsIndex({ before, after, added }: Readonly<Record<'before' | 'after' | 'added', number>>): boolean {
  const part = (commits: number) => Math.floor(commits / unindexedMax);
  return added >= unindexedMax || part(before) !== part(after);
}

/** Returns the size of a repository to which these files are added, and for each new name a file of one block. */
export async function foreseeSize(
  path: string,
  files: readonly string[],
  changes: readonly NameChange[],
): Promise<number | null> {
  const [sizeBytes, { bsize }] = await Promise.all([measureSizes([path, ...files]), statfs(path)]);
  return sizeBytes === null ? null : sizeBytes + bsize * changes.filter(({ from }) => from === null).length;
}

export async function writeForeseen(directory: string, foreseen: Foreseen): Promise<void> {
  await writeFile(pathIn(directory), JSON.stringify(foreseen));
}

/** Reads what was foreseen for a push; null when the repository has changed since, or nothing was foreseen. */
export async function readForeseen(directory: string, generation: number): Promise<Foreseen | null> {
  const text = await readFile(pathIn(directory), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (text === undefined) return null;
  const foreseen = v.parse(ForeseenSchema, JSON.parse(text));
  return foreseen.generation === generation ? foreseen : null;
}
