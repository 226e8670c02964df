import type { Rights } from './rights.ts';

/**
 * A gateway identifies callers and finds the storage of a repository: it reads no key, password of a remote or right,
 * and changes what signing in and the use of keys and sessions record.
 */
export const gatewayRights: Rights = {
  users: {
    select: ['id', 'username', 'usernameKey', 'passwordHash', 'active', 'admin', 'ldapDn'],
    update: ['lastLogin'],
  },
  userEmails: { select: ['userId', 'emailKey', 'isPrimary'] },
  userIpAddresses: { select: 'all' },
  apiKeys: {
    select: ['id', 'userId', 'hmac', 'secretId', 'limitedTo', 'expiresAt', 'lastUsedAt'],
    update: ['lastUsedAt'],
  },
  sessions: { select: 'all', insert: 'all', update: ['lastSeenAt', 'expiresAt'], delete: true },
  signInSources: { select: 'all', insert: 'all', update: ['signedInAt'], delete: true },
  repositories: { select: ['id', 'name', 'state', 'storageId'] },
  storages: { select: ['id', 'name', 'state', 'weight', 'capacityBytes', 'freeBytes'] },
  operations: { select: ['id', 'state'] },
  userGroups: 'none',
  userGroupMembers: 'none',
  names: 'none',
  repoGroups: 'none',
  followers: 'none',
  userRepositoryPermissions: 'none',
  userGroupRepositoryPermissions: 'none',
  userRepoGroupPermissions: 'none',
  userGroupRepoGroupPermissions: 'none',
  userGlobalPermissions: 'none',
  userGroupGlobalPermissions: 'none',
  repositoryCopies: 'none',
  backups: 'none',
  importedObjects: 'none',
  repositoryMaintenance: 'none',
  repositoryVerifications: 'none',
  deletedRepositories: 'none',
  auditLog: 'none',
  clientFetches: 'none',
  failedStarts: 'none',
  refusalCounts: 'none',
  countedRefusals: 'none',
};
