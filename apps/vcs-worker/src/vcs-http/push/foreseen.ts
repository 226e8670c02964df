import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredChangeset } from '@trunkline/db';
import * as v from 'valibot';
import { hasCode } from '../../has-code.ts';

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

const pathIn = (directory: string) => join(directory, 'foreseen');

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
