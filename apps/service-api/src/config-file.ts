import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './client-error.ts';
import type { Connection } from './connection.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads host and key from a configuration file; returns an empty object when the file does not exist. */
export async function readConfigFile(path: string): Promise<Partial<Connection>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '{}';
    throw new UsageError(`Could not read configuration file ${path}: ${codeOf(error)}`);
  });
  const members = parseObject(text);
  if (!members) throw new UsageError(`Configuration file ${path} is not a JSON object`);
  return {
    ...('apikey' in members && typeof members.apikey === 'string' ? { apikey: members.apikey } : {}),
    ...('apihost' in members && typeof members.apihost === 'string' ? { apihost: members.apihost } : {}),
  };
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Writes the file atomically, readable by its owner only; returns whether it was created or replaced. */
export async function writeConfigFile(path: string, { apikey, apihost }: Connection): Promise<'created' | 'updated'> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const existed = await lstat(path).then(
      () => true,
      () => false,
    );
    await replaceFile(path, `${JSON.stringify({ apikey, apihost }, null, 4)}\n`);
    return existed ? 'updated' : 'created';
  } catch (error) {
    throw new UsageError(`Could not write configuration file ${path}: ${codeOf(error)}`);
  }
}
