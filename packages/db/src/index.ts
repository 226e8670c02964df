export * from './schema/index.ts';
export {
  openDatabase,
  pingDatabase,
  plannerSettings,
  type Database,
  type Db,
  type OpenDatabase,
  type Transaction,
} from './database.ts';
export type { Arriving } from './backup/arrange-loaded.ts';
export {
  beginAttempt,
  endArrival,
  extendAttempts,
  leaveOut,
  listPending,
  releaseAttempt,
  type ArrivedHead,
  type HeldArrival,
  type PendingArrival,
} from './backup/arrivals.ts';
export { dumpTables, RestoreUnfinishedError, type Dump } from './backup/dump-tables.ts';
export { holdsTrash, holdTrash, isTrashHeld, TrashHeldError } from './backup/hold-trash.ts';
export { canRecordBackups, findKnownBackup, recordMadeBackup, type BackupOrigin } from './backup/known-backups.ts';
export { LoadRefusedError, loadTables } from './backup/load-tables.ts';
export { byteaArray, foldCase } from './schema/columns.ts';
export {
  databaseFailure,
  isForeignKeyViolation,
  isLockTimeout,
  isMissingRight,
  isUniqueViolation,
  lockedRow,
  missingDatabase,
} from './pg-error.ts';
export { databaseTime } from './database-time.ts';
export { inspectDatabase, type DatabaseFacts, type RoleFacts } from './inspect-database.ts';
export { listProcesses, openPools, type ConnectedProcess, type Pools } from './open-pools.ts';
export { maskSent, openCloneUri, toStoredCloneUri, type StoredCloneUri } from './stored-clone-uri.ts';
export { whileOthersWait, withConnection, type Connection } from './lock-start.ts';
export { isMigrated, migrate, NewerSchemaError, requireUsableSchema, UnreleasedSchemaError } from './migrate.ts';
export { prepareSchema, whenDatabaseWorks, type Wanted } from './prepare-schema.ts';
export { prepared, preparedRows, preparedSql } from './prepared.ts';
export { grantStatements, quoteName, quoteText, tierRights, type TierRoles } from './rights/grants.ts';
export { tierFunctions } from './rights/rights.ts';
export {
  connectStatements,
  databaseStatements,
  roleNames,
  roleStatements,
  type RoleName,
} from './rights/role-statements.ts';
export { watchServer } from './watch-server.ts';
export { reseal, type ResealSum } from './reseal.ts';
export { requireKnownKeys, requireKnownSecrets } from './require-known-secrets.ts';
export { createSecretVault, generateApiKey, isOneOf, type SecretVault } from './secret-vault.ts';
export {
  findFirstAdmin,
  findFirstAdminId,
  insertUserRows,
  passwordFingerprint,
  replaceBuiltinKey,
  toStoredKey,
  type NewUserRows,
  type StoredKey,
} from './user-rows.ts';
