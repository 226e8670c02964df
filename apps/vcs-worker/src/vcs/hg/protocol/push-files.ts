import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hasCode } from '../../../has-code.ts';
import type { PushOutcome } from './wire-child.ts';

/** The request of a push, beside its bundle. */
const Arrived = v.strictObject({ command: v.string(), caps: v.string(), args: v.string() });

export type ArrivedPush = v.InferOutput<typeof Arrived>;

const requestPath = (directory: string) => join(directory, 'request');
/** Whether Mercurial has applied or refused a push: what it said to one must never be sent for the other. */
type Ending = 'applied' | 'refused';

const replyPath = (directory: string, ending: Ending) => join(directory, ending);

/** Returns the path of the bundle in the directory of a push. */
export const bundlePath = (directory: string): string => join(directory, 'bundle');

export async function writeArrived(directory: string, arrived: ArrivedPush): Promise<void> {
  await writeFile(requestPath(directory), JSON.stringify(arrived));
}

export async function readArrived(directory: string): Promise<ArrivedPush> {
  return v.parse(Arrived, JSON.parse(await readFile(requestPath(directory), 'utf8')));
}

/** Keeps the answer of Mercurial, unless it was too long, until all of the push is recorded. */
export async function writeReply(
  directory: string,
  { reply, failure }: Pick<PushOutcome, 'reply' | 'failure'>,
): Promise<void> {
  if (reply !== null) await writeFile(replyPath(directory, failure === null ? 'applied' : 'refused'), reply);
}

/** Returns the answer of Mercurial to a push that has ended so; null when there is none. */
export async function readReply(directory: string, ending: Ending): Promise<Buffer | null> {
  return readFile(replyPath(directory, ending)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return null;
  });
}
