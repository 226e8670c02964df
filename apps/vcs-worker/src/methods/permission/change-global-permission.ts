import type { ArgsOfMethod, Methods } from '@trunkline/contracts';
import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../user/default-permissions-record.ts';
import type { Holder } from '../../user/global-permission-store.ts';
import { namesOne, requireFoundHolder } from '../../user/require-holder.ts';
import type { WriteContext } from '../context.ts';

const known = Object.values(switches);

/** Grants or revokes a global permission; returns whose it is and which. */
export function changeGlobalPermission(
  kind: 'grant' | 'revoke',
  { perm, ...named }: ArgsOfMethod<Methods['grant_global_permission']>,
  { actOnHolder }: Pick<WriteContext, 'actOnHolder'>,
): Promise<{ readonly holder: Holder; readonly permission: string }> {
  // Ids beyond the range of the column reach the statement as if they were not given.
  const permission = namesOne(named) ? known.find((one) => one === perm) : undefined;
  return actOnHolder({ kind, user: named.userid, userGroup: named.usersgroupid, permission }, (found) => ({
    holder: requireFoundHolder(named, found),
    permission: requirePermission(perm, known),
  }));
}
