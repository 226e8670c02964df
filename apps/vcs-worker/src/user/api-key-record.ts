import { toTimestamp, type ApiKeyRecord } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { ApiKeyRow } from './api-key-store.ts';

export function toApiKeyRecord(row: ApiKeyRow, vault: SecretVault): ApiKeyRecord {
  return {
    api_key_id: row.id,
    api_key: vault.open(row.sealed),
    builtin: row.builtin,
    description: row.description,
    created_on: toTimestamp(row.createdAt),
    expires: row.expiresAt && toTimestamp(row.expiresAt),
    expired: row.expired,
    last_used: row.lastUsedAt && toTimestamp(row.lastUsedAt),
  };
}
