import { join } from 'node:path';
import postgres from 'postgres';
import { expect, inject } from 'vitest';
import { createClient, type Client } from './client.ts';
import './provided.ts';
import { storageOfFile } from './storage-of-file.ts';
import { uniqueName } from './unique-name.ts';

export { uniqueName };

export const cluster = inject('cluster');

const storages = Object.keys(cluster.storageRoots);

/** Returns the arguments of a call; a repository gets the storage of the test file, unless the test says which. */
function withStorage(method: string, args: unknown): unknown {
  if (method !== 'create_repo' || storages.length < 2) return args;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  return { storage: storageOfFile(expect.getState().testPath ?? '', storages), ...args };
}

const plainAdmin = createClient(cluster.baseUrl, cluster.adminKey);

/** Calls as the administrator. */
export const admin: Client = {
  apiKey: plainAdmin.apiKey,
  call: (method, args) => plainAdmin.call(method, withStorage(method, args)),
  result: (method, args) => plainAdmin.result(method, withStorage(method, args)),
  error: (method, args) => plainAdmin.error(method, withStorage(method, args)),
};

/** Direct access to the database, for states that no method sets and for checks behind the API. */
export const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });

export interface TestUser {
  readonly id: number;
  readonly username: string;
  readonly client: Client;
}

/** Creates a user with an API key, and a client that calls as this user. */
export async function makeUser(args: Record<string, unknown> = {}): Promise<TestUser> {
  const username = uniqueName('user');
  await admin.result('create_user', { username, email: `${username}@example.com`, ...args });
  const record = await admin.result<{ user_id: number; api_key: string }>('get_user', { userid: username });
  return { id: record.user_id, username, client: createClient(cluster.baseUrl, record.api_key) };
}

export type RepositoryType = 'hg' | 'git';
export const repositoryTypes: readonly RepositoryType[] = ['hg', 'git'];

/** Creates an empty repository of the administrator and returns its name. */
export async function makeRepository(type: RepositoryType, args: Record<string, unknown> = {}): Promise<string> {
  const name = uniqueName(type);
  await admin.result('create_repo', { repo_name: name, repo_type: type, ...args });
  return name;
}

/** Returns the path of a repository in the file system. */
export async function storagePathOf(name: string): Promise<string> {
  const [row] = await sql<{ path: string; storage: string }[]>`
    select r.storage_path as path, s.name as storage
      from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
  return join(cluster.storageRoots[row?.storage ?? ''] ?? '', String(row?.path));
}
