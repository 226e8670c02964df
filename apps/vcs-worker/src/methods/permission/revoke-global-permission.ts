import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../user/default-permissions-record.ts';
import { namesOne, requireFoundHolder } from '../../user/require-holder.ts';
import type { MethodHandler } from '../context.ts';

const known = Object.values(switches);

export const revokeGlobalPermission: MethodHandler<'revoke_global_permission'> = async (
  { perm, ...named },
  { actOnHolder },
) =>
  actOnHolder(
    {
      kind: 'revoke',
      user: named.userid,
      userGroup: named.usersgroupid,
      // Ids beyond the range of the column reach the statement as if they were not given.
      permission: namesOne(named) ? known.find((one) => one === perm) : undefined,
    },
    (found) => {
      const holder = requireFoundHolder(named, found);
      const permission = requirePermission(perm, known);
      return { msg: `Revoked perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
    },
  );
