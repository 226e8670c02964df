import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../user/default-permissions-record.ts';
import { grantGlobally } from '../../user/global-permission-store.ts';
import { requireHolder } from '../../user/require-holder.ts';
import type { MethodHandler } from '../context.ts';

export const grantGlobalPermission: MethodHandler<'grant_global_permission'> = async (
  { perm, ...named },
  { transact },
) =>
  transact(async ({ db }) => {
    const holder = await requireHolder(db, named);
    const permission = requirePermission(perm, Object.values(switches));
    await grantGlobally(db, holder, permission);
    return { msg: `Granted perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
  });
