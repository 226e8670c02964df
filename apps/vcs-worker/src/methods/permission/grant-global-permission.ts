import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../user/default-permissions-record.ts';
import { requireFoundHolder } from '../../user/require-holder.ts';
import type { MethodHandler } from '../context.ts';

const known = Object.values(switches);

export const grantGlobalPermission: MethodHandler<'grant_global_permission'> = async (
  { perm, ...named },
  { actOnHolder },
) =>
  actOnHolder(
    {
      kind: 'grant',
      user: named.userid,
      userGroup: named.usersgroupid,
      permission: known.find((one) => one === perm),
    },
    (found) => {
      const holder = requireFoundHolder(named, found);
      const permission = requirePermission(perm, known);
      return { msg: `Granted perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
    },
  );
