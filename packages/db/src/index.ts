export { pingDatabase } from './ping-database.ts';
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
export { byteaArray } from './bytea-array.ts';
export {
  openDatabase,
  plannerSettings,
  type Database,
  type Db,
  type OpenDatabase,
  type Transaction,
} from './database.ts';
export { missingDatabase } from './database-away.ts';
export { databaseTime, transactionTime } from './database-time.ts';
export { foldCase } from './fold-case.ts';
export { inspectDatabase, type DatabaseFacts, type RoleFacts } from './inspect-database.ts';
export { listProcesses, type ConnectedProcess } from './connection-names.ts';
export { maskSent } from './mask-credentials.ts';
export { whileOthersWait, withConnection, type Connection } from './lock-start.ts';
export { migrate, NewerSchemaError, requireUsableSchema, UnreleasedSchemaError } from './migrate.ts';
export {
  databaseFailure,
  isForeignKeyViolation,
  isLockTimeout,
  isMissingRight,
  isUniqueViolation,
  lockedRow,
} from './pg-error.ts';
export { openPools, type Pools } from './open-pools.ts';
export { prepareSchema, whenDatabaseWorks, type Wanted } from './prepare-schema.ts';
export { prepared, preparedSql } from './prepared.ts';
export { tierRights, type TierRoles } from './rights/apply-grants.ts';
export { tierFunctions } from './rights/function-rights.ts';
export { grantStatements, quoteName, quoteText } from './rights/grant-statements.ts';
export {
  connectStatements,
  databaseStatements,
  roleNames,
  roleStatements,
  type RoleName,
} from './rights/role-statements.ts';
export * from './schema/index.ts';
export { watchServer } from './watch-server.ts';
export { reseal, type ResealSum } from './reseal.ts';
export { requireKnownKeys, requireKnownSecrets } from './require-known-secrets.ts';
export { openCloneUri, toStoredCloneUri, type StoredCloneUri } from './stored-clone-uri.ts';
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
