import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Remote } from './remotes.ts';

export type Type = 'hg' | 'git';

/** The cluster and the remotes that all acts run on. */
export interface Stage {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly sql: Sql;
  readonly remotes: Readonly<Record<Type, Remote>>;
  /** The newest changeset of each remote. */
  readonly newest: Record<Type, string>;
}

/** One case: its stage, a name that no other case has, and a type. */
export interface Case extends Stage {
  readonly name: string;
  readonly type: Type;
}

/** A call of a client, and the check whether the call took effect. */
export interface Act {
  readonly method: string;
  readonly args: (one: Case) => Readonly<Record<string, unknown>>;
  /** Acts as a client of another kind; returns its error, null for success. Repeated, it does nothing that is recorded. */
  readonly run?: (one: Case) => Promise<string | null>;
  /** Makes what the call needs, while a worker without a crash point runs. */
  readonly prepare?: (one: Case) => Promise<unknown>;
  readonly isDone: (one: Case) => Promise<boolean>;
  /** Returns the error of repeating the call after it took effect; absent when the repeated call succeeds. */
  readonly again?: (one: Case) => string;
}

/** Where all repositories are made. */
export const storage = 'default';

interface Found {
  readonly fork_of: string | null;
  readonly repo_type: string;
  readonly last_changeset: { readonly raw_id: string };
}

export const find = ({ admin }: Stage, repoid: string): Promise<Found | null> =>
  admin.result<Found | null>('get_repo', { repoid });

export async function make({ admin, type }: Case, repo_name: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: type, storage });
}

export const isNewest = async (one: Case): Promise<boolean> =>
  (await find(one, one.name))?.last_changeset.raw_id === one.newest[one.type];

/** Returns the path of a repository in the storage. */
export async function pathOf({ sql, cluster, name }: Case): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return join(cluster.storageRoot, String(row?.path));
}
