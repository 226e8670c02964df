import type { MethodHandler } from '../context.ts';
import { changeGlobalPermission } from './change-global-permission.ts';

export const revokeGlobalPermission: MethodHandler<'revoke_global_permission'> = async (args, context) => {
  const { holder, permission } = await changeGlobalPermission('revoke', args, context);
  return { msg: `Revoked perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
};
