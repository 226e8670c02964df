/** What is read of the other program. Ids are those of the source. */
export interface Source {
  /** Digest by which a second run recognises the same source. */
  readonly id: string;
  /** Whether a user's level is the best of all rows; in former releases a user's row wins over those of groups. */
  readonly rule: LevelRule;
  /** Whether rows of inactive user groups count, as in RhodeCode. */
  readonly countsInactive: boolean;
  readonly users: readonly SourceUser[];
  /** The user `default`, whose rows apply to everybody. */
  readonly defaultUserId: number;
  readonly userGroups: readonly SourceUserGroup[];
  readonly repoGroups: readonly SourceRepoGroup[];
  readonly repositories: readonly SourceRepository[];
  /** What has no counterpart here, with the number of rows. */
  readonly notBrought: Readonly<Record<string, number>>;
}

export type LevelRule = 'best' | 'user row first';

export interface SourceUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly active: boolean;
  readonly admin: boolean;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly email: string | null;
  readonly lastLogin: Date | null;
  readonly createdAt: Date | null;
  readonly externType: string | null;
  readonly externName: string | null;
  readonly ldapDn: string | null;
  /** False for a user to whom the rights and networks of `default` do not apply; those of groups do. */
  readonly inherits: boolean;
  readonly apiKey: string | null;
  readonly furtherKeys: readonly SourceKey[];
  readonly furtherEmails: readonly string[];
  readonly networks: readonly string[];
  readonly permissions: readonly string[];
}

export interface SourceKey {
  readonly key: string;
  readonly description: string;
  readonly expiresAt: Date | null;
  readonly createdAt: Date | null;
}

export interface SourceUserGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly inherits: boolean;
  readonly ownerId: number | null;
  readonly createdAt: Date | null;
  readonly memberIds: readonly number[];
  readonly permissions: readonly string[];
  /** Rights to administer the user group itself. */
  readonly grants: Grants;
}

/** Levels that rows grant; one holder may have several rows. */
export interface Grants {
  readonly users: ReadonlyMap<number, readonly number[]>;
  readonly userGroups: ReadonlyMap<number, readonly number[]>;
}

export interface SourceRepoGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly ownerId: number | null;
  readonly enableLocking: boolean;
  readonly createdAt: Date | null;
  readonly grants: Grants;
}

export interface SourceRepository {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly ownerId: number | null;
  readonly private: boolean;
  readonly enableStatistics: boolean;
  readonly enableDownloads: boolean;
  readonly enableLocking: boolean;
  readonly cloneUri: string | null;
  readonly landingRev: string;
  readonly forkOfId: number | null;
  readonly lock: { readonly userId: number; readonly at: Date } | null;
  readonly createdAt: Date | null;
  readonly followerIds: readonly number[];
  readonly grants: Grants;
}
