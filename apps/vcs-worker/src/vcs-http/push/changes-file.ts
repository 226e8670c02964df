import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { writeSynced } from '../../storage/durable.ts';
import { hasCode } from '../../has-code.ts';
import { PushUnsettledError, type NameChange } from '../../vcs/push.ts';

const id = v.nullable(v.string());
const Changes = v.array(v.strictObject({ name: v.string(), from: id, to: id }));

const pathIn = (directory: string) => join(directory, 'changes');
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Writes the changes of a push to its directory, from which any worker reads them; returns their hash. */
export async function writeChanges(directory: string, changes: readonly NameChange[]): Promise<string> {
  const text = JSON.stringify(changes);
  await writeSynced(pathIn(directory), text);
  return hashOf(text);
}

/** Reads the changes of a push; throws PushUnsettledError when they are not those with this hash. */
export async function readChanges(directory: string, hash: unknown): Promise<readonly NameChange[]> {
  const text = await readFile(pathIn(directory), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return '';
  });
  if (hashOf(text) !== hash) throw new PushUnsettledError(`${directory} lacks the changes of its operation`);
  return v.parse(Changes, JSON.parse(text));
}
