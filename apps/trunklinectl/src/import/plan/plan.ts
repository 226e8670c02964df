import type { NewUserRows } from '@trunkline/db';
import type { SourceRepository } from '../source/source.ts';
import type { DerivedRows } from './levels.ts';
import type { Finding } from './finding.ts';
import type { PlannedEmails } from './plan-emails.ts';
import type { PlannedKeys } from './plan-keys.ts';
import type { PlannedPermissions } from './plan-permissions.ts';

/** What an import writes. Ids are those of the source; an owner is null where the first administrator here becomes it. */
export interface Plan {
  readonly sourceId: string;
  readonly defaultUserId: number;
  readonly users: readonly PlannedUser[];
  readonly userGroups: readonly PlannedUserGroup[];
  readonly repoGroups: readonly PlannedRepoGroup[];
  /** Sources of forks come before their forks. */
  readonly repositories: readonly PlannedRepository[];
  readonly permissions: PlannedPermissions;
  /** Networks from which everybody may call. */
  readonly commonNetworks: readonly string[];
  /** Numbers of what was deleted here since it was imported, and stays deleted. */
  readonly deletedHere: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  readonly notBrought: Readonly<Record<string, number>>;
}

/** Returns the level that a user who is no administrator has in the source. */
export type LevelOf = (userId: number) => number;

export interface PlannedUser {
  readonly id: number;
  readonly username: string;
  readonly profile: Required<
    Pick<NewUserRows, 'firstname' | 'lastname' | 'active' | 'admin' | 'ldapDn' | 'externType' | 'externName'>
  >;
  readonly passwordHash: string | null;
  readonly createdAt: Date | null;
  readonly lastLogin: Date | null;
  readonly emails: PlannedEmails;
  readonly keys: PlannedKeys;
  readonly networks: readonly string[];
}

export interface PlannedUserGroup {
  readonly id: number;
  readonly name: string;
  readonly profile: { readonly description: string; readonly active: boolean; readonly ownerId: number | null };
  readonly createdAt: Date | null;
  readonly memberIds: readonly number[];
}

export interface PlannedRepoGroup {
  readonly id: number;
  readonly name: string;
  readonly profile: { readonly description: string; readonly enableLocking: boolean; readonly ownerId: number | null };
  readonly createdAt: Date | null;
  readonly rows: DerivedRows;
  readonly levelOf: LevelOf;
}

export interface PlannedRepository {
  readonly id: number;
  readonly name: string;
  /** The name in the source, which is the path of its directory. */
  readonly directory: string;
  readonly type: 'hg' | 'git';
  readonly profile: Pick<
    SourceRepository,
    | 'private'
    | 'landingRev'
    | 'enableDownloads'
    | 'enableLocking'
    | 'enableStatistics'
    | 'cloneUri'
    | 'ownerId'
    | 'lock'
  > & { readonly description: string };
  readonly createdAt: Date | null;
  readonly forkOfId: number | null;
  readonly followerIds: readonly number[];
  readonly rows: DerivedRows;
  readonly levelOf: LevelOf;
}
