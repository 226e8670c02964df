import { findReadableNames } from '../../domain/repo/readable-names-store.ts';
import { toApiKeyRecord } from '../../domain/user/api-key-record.ts';
import { listKeys } from '../../domain/user/api-key-store.ts';
import { requireTargetUser } from '../../domain/user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const getApiKeys: MethodHandler<'get_api_keys'> = async ({ userid, limit, cursor }, { db, access, vault }) => {
  const user = await requireTargetUser(db, access, userid);
  const rows = await listKeys(db, user.id, { limit, cursor });
  const ids = [...new Set(rows.flatMap(({ repositoryIds }) => repositoryIds ?? []))];
  const found = ids.length === 0 ? [] : await findReadableNames(db, access.user.id, { ids, names: [] });
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return rows.map((row) => toApiKeyRecord(row, vault, names));
};
