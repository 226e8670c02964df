import type { ArgsOfMethod, Methods } from '@trunkline/contracts';
import { requirePermission } from '../../authz/require-permission.ts';
import { switches } from '../../domain/user/default-permission-store.ts';
import { globalPermissions, removeHeldRow } from '../../domain/user/held-row-store.ts';
import { keepPrincipal, principalNotFound, requireOneNamed, requirePrincipal } from '../../domain/user/principal.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

const known = Object.values(switches);

/** Grants or revokes a global permission; returns whose it is and which, for the answer. */
function changeGlobalPermission(
  act: 'grant' | 'revoke',
  { perm, ...named }: ArgsOfMethod<Methods['grant_global_permission']>,
  { transact }: Pick<WriteContext, 'transact'>,
): Promise<string> {
  return transact(async (scope) => {
    const { kind, ref } = requireOneNamed(named);
    const { id, name } = await requirePrincipal(scope.db, kind, ref);
    const permission = requirePermission(perm, known);
    const [rows, byId] = [globalPermissions[kind], { sent: name, id, name: null }];
    const principal =
      act === 'grant'
        ? await keepPrincipal(scope, kind, byId)
        : (await removeHeldRow(scope, rows, { principal: byId, object: permission })).principal;
    // It was removed during the wait; another one may have its name by now.
    if (!principal) throw principalNotFound(kind, ref);
    if (act === 'grant') await rows.add(scope.db).execute({ id, object: permission });
    return `perm: \`${permission}\` for ${kind}: \`${principal.name}\``;
  });
}

export const grantGlobalPermission: MethodHandler<'grant_global_permission'> = async (args, context) => {
  const granted = await changeGlobalPermission('grant', args, context);
  return { msg: `Granted ${granted}`, success: true };
};

export const revokeGlobalPermission: MethodHandler<'revoke_global_permission'> = async (args, context) => {
  const revoked = await changeGlobalPermission('revoke', args, context);
  return { msg: `Revoked ${revoked}`, success: true };
};
