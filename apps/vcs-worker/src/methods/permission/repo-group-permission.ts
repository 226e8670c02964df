import type { ArgsOfMethod, EntityRef, Methods } from '@trunkline/contracts';
import { lockAdministeredRepoGroup, requireRepoGroupLevel } from '../../authz/repo-group-level.ts';
import { repoGroupLevelOf, repoGroupLevelRefusal } from '../../authz/require-permission.ts';
import { removeLevels, setLevels } from '../../domain/groups/repo-group-permission-store.ts';
import type { NamedRepoGroup } from '../../domain/groups/repo-group-store.ts';
import { levelsOnRepoGroups, removeHeldRow } from '../../domain/user/held-row-store.ts';
import {
  keepPrincipal,
  principalNotFound,
  requirePrincipal,
  type Principal,
  type PrincipalKind,
  type PrincipalScope,
} from '../../domain/user/principal.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

type Transact = Pick<WriteContext, 'transact'>;

/** The user or user group whose level is changed, on a repository group and perhaps on what is below it. */
interface Named {
  readonly group: EntityRef;
  readonly kind: PrincipalKind;
  readonly ref: EntityRef;
  readonly below: ArgsOfMethod<Methods['grant_user_permission_to_repo_group']>['apply_to_children'];
}

/** Changes a level on a repository group alone, whose row is locked. */
async function changeLevel(scope: PrincipalScope, { kind, ref }: Named, object: number, level: number | null) {
  const rows = levelsOnRepoGroups[kind];
  const principal =
    level === null
      ? (await removeHeldRow(scope, rows, { principal: ref, object })).principal
      : await keepPrincipal(scope, kind, ref);
  if (!principal) throw principalNotFound(kind, ref);
  if (level !== null) await rows.add(scope.db).execute({ id: principal.id, object, level });
  return principal;
}

/** Sets a level on a repository group, and on what is below it; null removes the one that there is. */
function changeLevels(
  { transact }: Transact,
  named: Named,
  level: number | null,
): Promise<{ readonly group: NamedRepoGroup; readonly principal: Principal }> {
  const { kind, ref, below } = named;
  // A name that has passed to another group since an earlier run of the transaction names none.
  let meant = named.group;
  return transact(async (scope) => {
    const { id } = await requireRepoGroupLevel(scope.db, scope.access, meant, 'admin');
    meant = { ...named.group, id };
    const { group, access, authorize } = await lockAdministeredRepoGroup(scope, meant, id);
    const { db } = scope;
    if (below === 'none') return { group, principal: await changeLevel({ db, access, authorize }, named, id, level) };
    const principal = await requirePrincipal(db, kind, ref);
    const reach = { group, administeredBy: access.user, below };
    if (level === null) await removeLevels(db, { kind, id: principal.id }, reach);
    else await setLevels(db, { kind, id: principal.id }, reach, level);
    return { group, principal };
  });
}

/** Refuses a text that names no level, which needs no row to stay and so waits for none. */
function refuseLevel({ transact }: Transact, { group, kind, ref }: Named, perm: string | null): Promise<never> {
  return transact(async ({ db, access }) => {
    await requireRepoGroupLevel(db, access, group, 'admin');
    // Clients are told of a missing user first, and of a missing user group last.
    if (kind === 'user') await requirePrincipal(db, kind, ref);
    throw repoGroupLevelRefusal(perm);
  });
}

async function grantLevel(context: Transact, named: Named, perm: string | null) {
  const level = repoGroupLevelOf(perm);
  if (level === undefined) return refuseLevel(context, named, perm);
  const { group, principal } = await changeLevels(context, named, level);
  const done = `Granted perm: \`${perm}\` (recursive:${named.below})`;
  const msg = `${done} for ${named.kind}: \`${principal.name}\` in repo group: \`${group.name}\``;
  return { msg, success: true as const };
}

async function revokeLevel(context: Transact, named: Named) {
  const { group, principal } = await changeLevels(context, named, null);
  const done = `Revoked perm (recursive:${named.below})`;
  const msg = `${done} for ${named.kind}: \`${principal.name}\` in repo group: \`${group.name}\``;
  return { msg, success: true as const };
}

export const grantUserPermissionToRepoGroup: MethodHandler<'grant_user_permission_to_repo_group'> = (
  { repogroupid: group, userid: ref, perm, apply_to_children: below },
  context,
) => grantLevel(context, { group, kind: 'user', ref, below }, perm);

export const grantUserGroupPermissionToRepoGroup: MethodHandler<'grant_user_group_permission_to_repo_group'> = (
  { repogroupid: group, usersgroupid: ref, perm, apply_to_children: below },
  context,
) => grantLevel(context, { group, kind: 'user group', ref, below }, perm);

export const revokeUserPermissionFromRepoGroup: MethodHandler<'revoke_user_permission_from_repo_group'> = (
  { repogroupid: group, userid: ref, apply_to_children: below },
  context,
) => revokeLevel(context, { group, kind: 'user', ref, below });

export const revokeUserGroupPermissionFromRepoGroup: MethodHandler<'revoke_user_group_permission_from_repo_group'> = (
  { repogroupid: group, usersgroupid: ref, apply_to_children: below },
  context,
) => revokeLevel(context, { group, kind: 'user group', ref, below });
