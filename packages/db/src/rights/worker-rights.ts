import type { Rights } from './rights.ts';

/**
 * A worker does what methods and operations do. It opens no session, and rewrites no entry of the audit log beyond its
 * outcome. A row lock needs the right to update a column: some columns are listed for that alone.
 */
export const workerRights: Rights = {
  users: {
    select: 'all',
    insert: 'all',
    update: [
      'username',
      'usernameKey',
      'passwordHash',
      'firstname',
      'lastname',
      'active',
      'admin',
      'ldapDn',
      'externType',
      'externName',
    ],
    delete: true,
  },
  userEmails: { select: 'all', insert: 'all', delete: true },
  userIpAddresses: { select: 'all', insert: 'all', delete: true },
  apiKeys: { select: 'all', insert: 'all', update: ['hmac', 'sealed', 'secretId'], delete: true },
  // The update is for row locks.
  sessions: { select: 'all', update: ['lastSeenAt'], delete: true },
  signInSources: 'none',
  userGroups: {
    select: 'all',
    insert: 'all',
    update: ['name', 'nameKey', 'description', 'ownerId', 'active'],
    delete: true,
  },
  // The update is for row locks.
  userGroupMembers: { select: 'all', insert: 'all', update: ['addedAt'], delete: true },
  storages: {
    select: 'all',
    insert: 'all',
    update: [
      'name',
      'state',
      'drainedById',
      'weight',
      'maintenance',
      'capacityBytes',
      'freeBytes',
      'seenAt',
      'sweptBy',
      'sweepLeaseUntil',
    ],
  },
  names: { select: 'all', insert: 'all', update: ['name'], delete: true },
  repoGroups: { select: 'all', insert: 'all', update: 'all', delete: true },
  repositories: { select: 'all', insert: 'all', update: 'all', delete: true },
  // The update is for row locks.
  followers: { select: 'all', insert: 'all', update: ['followedAt'], delete: true },
  userRepositoryPermissions: { select: 'all', insert: 'all', update: ['level'], delete: true },
  userGroupRepositoryPermissions: { select: 'all', insert: 'all', update: ['level'], delete: true },
  userRepoGroupPermissions: { select: 'all', insert: 'all', update: ['level'], delete: true },
  userGroupRepoGroupPermissions: { select: 'all', insert: 'all', update: ['level'], delete: true },
  // The updates are for row locks.
  userGlobalPermissions: { select: 'all', insert: 'all', update: ['permission'], delete: true },
  userGroupGlobalPermissions: { select: 'all', insert: 'all', update: ['permission'], delete: true },
  operations: { select: 'all', insert: 'all', update: 'all', delete: true },
  repositoryCopies: { select: 'all', insert: 'all', update: ['createdAt'], delete: true },
  // The owner's role makes backups.
  backups: 'none',
  importedObjects: { select: 'all', insert: 'all', update: ['objectId', 'parts'] },
  repositoryMaintenance: {
    select: 'all',
    insert: 'all',
    update: ['changes', 'changedAt', 'triedAt', 'searchedAt'],
  },
  repositoryVerifications: {
    select: 'all',
    insert: 'all',
    update: ['verifiedAt', 'damaged', 'triedAt', 'requestedAt'],
  },
  deletedRepositories: {
    select: 'all',
    insert: 'all',
    update: ['forkOfId', 'forkIds', 'cloneUriSealed', 'cloneUriSecretId', 'restoredBy', 'keptSince'],
    delete: true,
  },
  auditLog: { select: 'all', insert: 'all', update: ['outcome', 'error', 'args'], delete: true },
  // Rows are written by `record_client_fetches` alone.
  clientFetches: { select: 'all', delete: true },
  failedStarts: { select: 'all', insert: 'all', delete: true },
  refusalCounts: { select: 'all', insert: 'all', update: ['since', 'count', 'countedIn'], delete: true },
  // The update is for row locks.
  countedRefusals: { select: 'all', insert: 'all', update: ['at'], delete: true },
};
