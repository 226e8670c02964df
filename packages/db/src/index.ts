export { openDatabase, type Database, type Executor, type OpenDatabase, type Transaction } from './database.ts';
export { findFirstAdmin } from './find-first-admin.ts';
export { foldCase } from './fold-case.ts';
export { migrate, NewerSchemaError } from './migrate.ts';
export { databaseFailure, isForeignKeyViolation, isUniqueViolation } from './pg-error.ts';
export { prepared } from './prepared.ts';
export * from './schema/index.ts';
export { requireSameSecret } from './require-same-secret.ts';
export { createSecretVault, generateApiKey, type SecretVault } from './secret-vault.ts';
