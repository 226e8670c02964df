import type { MethodHandler } from '../context.ts';
import { changeGlobalPermission } from './change-global-permission.ts';

export const grantGlobalPermission: MethodHandler<'grant_global_permission'> = async (args, context) => {
  const { holder, permission } = await changeGlobalPermission('grant', args, context);
  return { msg: `Granted perm: \`${permission}\` for ${holder.kind}: \`${holder.name}\``, success: true };
};
