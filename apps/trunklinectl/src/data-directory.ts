import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Environment } from './config.ts';
import { UsageError } from './errors.ts';

const StackFile = v.object({
  databaseUrl: v.string(),
  natsUrl: v.string(),
  storages: v.record(v.string(), v.string()),
  settings: v.record(v.string(), v.string()),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function readPrivate(path: string, missing: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new UsageError(isMissing ? missing : `${path} cannot be read by this user`, { cause });
  }
}

/**
 * Returns the environment with the settings of the `npm start` that runs with a data directory: its files have the URLs
 * and the secret, which the environment has where it was set for `npm start` itself.
 */
export async function dataDirectoryEnvironment(directory: string, environment: Environment): Promise<Environment> {
  const stackPath = join(directory, 'stack.json');
  const text = await readPrivate(stackPath, `no \`npm start\` runs with the data directory ${directory}`);
  const stack = v.safeParse(StackFile, parseJson(text));
  if (!stack.success) throw new UsageError(`${stackPath} is not that of this release`);
  const { databaseUrl, natsUrl, storages, settings } = stack.output;
  const secret =
    environment['TRUNKLINE_SECRET'] ||
    (await readPrivate(
      join(directory, 'secret'),
      'TRUNKLINE_SECRET must be set, as it was for `npm start`: the data directory has no secret',
    ));
  return {
    ...environment,
    ...settings,
    UV_THREADPOOL_SIZE: environment['UV_THREADPOOL_SIZE'] || '16',
    TRUNKLINE_DATABASE_URL: databaseUrl,
    TRUNKLINE_MIGRATE_URL: databaseUrl,
    TRUNKLINE_NATS_URL: natsUrl,
    TRUNKLINE_SECRET: secret.trim(),
    TRUNKLINE_STORAGE_ROOT: '',
    TRUNKLINE_STORAGES: Object.entries(storages)
      .map(([name, root]) => `${name}=${root}`)
      .join(','),
  };
}
