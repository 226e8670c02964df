import { toTimestamp, type ApiKeyRecord } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { ApiKeyRow } from './api-key-store.ts';

/** Shapes a key; `names` has the names of the repositories that the caller may read. */
export function toApiKeyRecord(row: ApiKeyRow, vault: SecretVault, names: ReadonlyMap<number, string>): ApiKeyRecord {
  const named = row.repositoryIds?.flatMap((id) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ repo_id: id, repo_name: name }];
  });
  return {
    api_key_id: row.id,
    api_key: vault.open(row.sealed),
    builtin: row.builtin,
    description: row.description,
    created_on: toTimestamp(row.createdAt),
    expires: row.expiresAt && toTimestamp(row.expiresAt),
    expired: row.expired,
    last_used: row.lastUsedAt && toTimestamp(row.lastUsedAt),
    limited_to: row.limitedTo,
    repositories: named ?? null,
  };
}
