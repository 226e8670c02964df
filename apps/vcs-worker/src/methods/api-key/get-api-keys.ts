import { toApiKeyRecord } from '../../user/api-key-record.ts';
import { listKeys } from '../../user/api-key-store.ts';
import { requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const getApiKeys: MethodHandler<'get_api_keys'> = async ({ userid, limit, cursor }, { db, access, vault }) => {
  const user = await requireTargetUser(db, access, userid);
  const rows = await listKeys(db, user.id, { limit, cursor });
  return rows.map((row) => toApiKeyRecord(row, vault));
};
