import type { ArgsOfMethod, Methods } from '@trunkline/contracts';
import { requirePermission } from '../../authz/require-permission.ts';
import { keepHolder, removeHeldRow } from '../../domain/user/change-held-row.ts';
import { switches } from '../../domain/user/default-permissions-record.ts';
import type { Holder } from '../../domain/user/global-permission-store.ts';
import { globalPermissions } from '../../domain/user/held-row-store.ts';
import { requireHolder, requireOneNamed } from '../../domain/user/require-holder.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { WriteContext } from '../context.ts';

const known = Object.values(switches);

/** Grants or revokes a global permission; returns whose it is and which. */
export function changeGlobalPermission(
  act: 'grant' | 'revoke',
  { perm, ...named }: ArgsOfMethod<Methods['grant_global_permission']>,
  { transact }: Pick<WriteContext, 'transact'>,
): Promise<{ readonly holder: Holder; readonly permission: string }> {
  return transact(async (scope) => {
    const { ref: sent } = requireOneNamed(named);
    const { kind, id, name } = await requireHolder(scope.db, named);
    const permission = requirePermission(perm, known);
    const [rows, ref] = [globalPermissions[kind], { sent: name, id, name: null }];
    const holder =
      act === 'grant'
        ? await keepHolder(scope, kind, ref)
        : (await removeHeldRow(scope, rows, { holder: ref, object: permission })).holder;
    // It was removed during the wait; another one may have its name by now.
    if (!holder) throw kind === 'user' ? userNotFound(sent) : userGroupNotFound(sent);
    if (act === 'grant') await rows.add(scope.db).execute({ id, object: permission });
    return { holder: { kind, ...holder }, permission };
  });
}
