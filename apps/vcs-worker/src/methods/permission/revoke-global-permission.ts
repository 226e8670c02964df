import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../user/default-permissions-record.ts';
import { revokeGlobally } from '../../user/global-permission-store.ts';
import { requireHolder } from '../../user/require-holder.ts';
import type { MethodHandler } from '../context.ts';

export const revokeGlobalPermission: MethodHandler<'revoke_global_permission'> = async (
  { perm, ...named },
  { transact },
) =>
  transact(async ({ db }) => {
    const holder = await requireHolder(db, named);
    const permission = requirePermission(perm, Object.values(switches));
    await revokeGlobally(db, holder, permission);
    return { msg: `Revoked perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
  });
