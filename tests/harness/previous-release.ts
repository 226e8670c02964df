/**
 * The release before this one: its processes run beside those of this one. The first commit after a release sets this
 * to that release.
 */
export const previousRelease = {
  version: '0.1.0',
  commit: '7906a75ef258180d1d8b63a74e52e8a46bc22a96',
  lastMigration: '0018_default_branch_unknown',
} as const;

/** A statement of a migration of this release that removes what the previous release no longer uses. */
export interface AllowedRemoval {
  readonly migration: string;
  /** Beginning of the statement, with single spaces. */
  readonly statement: string;
  readonly why: string;
}

/** Removals by migrations of this release; the list begins empty with each release. */
export const allowedRemovals: readonly AllowedRemoval[] = [
  {
    migration: '0019_release_0_2_0',
    statement: 'DROP INDEX repositories_group_id_index',
    why: 'The index of group and name finds the repositories of a group as well.',
  },
];
