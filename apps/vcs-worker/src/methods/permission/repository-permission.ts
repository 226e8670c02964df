import type { EntityRef } from '@trunkline/contracts';
import { permissionNotFound, repositoryLevelOf } from '../../authz/require-permission.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { levelsOnRepositories, removeHeldRow } from '../../domain/user/held-row-store.ts';
import { keepPrincipal, principalNotFound, requirePrincipal, type PrincipalKind } from '../../domain/user/principal.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

/** The repository, and the user or user group, whose level is changed. */
interface Named {
  readonly repoid: EntityRef;
  readonly kind: PrincipalKind;
  readonly ref: EntityRef;
}

/** Refuses a text that names no level, which needs no row to stay and so waits for none. */
function refuseLevel(
  { transact }: Pick<WriteContext, 'transact'>,
  { repoid, kind, ref }: Named,
  perm: string | null,
): Promise<never> {
  return transact(async ({ db, access }) => {
    requireRepository(access, repoid);
    // Clients are told of a missing user first, and of a missing user group last.
    if (kind === 'user') await requirePrincipal(db, kind, ref);
    throw permissionNotFound(perm);
  });
}

async function grantLevel({ transact }: Pick<WriteContext, 'transact'>, named: Named, perm: string | null) {
  const { repoid, kind, ref } = named;
  const level = repositoryLevelOf(perm);
  if (level === undefined) return refuseLevel({ transact }, named, perm);
  return transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const principal = await keepPrincipal({ ...scope, access }, kind, ref);
    if (!principal) throw principalNotFound(kind, ref);
    await levelsOnRepositories[kind].add(scope.db).execute({ id: principal.id, object, level });
    const msg = `Granted perm: \`${perm}\` for ${kind}: \`${principal.name}\` in repo: \`${name}\``;
    return { msg, success: true as const };
  }, 'no key update');
}

async function revokeLevel({ transact }: Pick<WriteContext, 'transact'>, { repoid, kind, ref }: Named) {
  return transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const change = { principal: ref, object };
    const { principal } = await removeHeldRow({ ...scope, access }, levelsOnRepositories[kind], change);
    if (!principal) throw principalNotFound(kind, ref);
    const msg = `Revoked perm for ${kind}: \`${principal.name}\` in repo: \`${name}\``;
    return { msg, success: true as const };
  }, 'no key update');
}

export const grantUserPermission: MethodHandler<'grant_user_permission'> = ({ repoid, userid, perm }, context) =>
  grantLevel(context, { repoid, kind: 'user', ref: userid }, perm);

export const grantUserGroupPermission: MethodHandler<'grant_user_group_permission'> = (
  { repoid, usersgroupid, perm },
  context,
) => grantLevel(context, { repoid, kind: 'user group', ref: usersgroupid }, perm);

export const revokeUserPermission: MethodHandler<'revoke_user_permission'> = ({ repoid, userid }, context) =>
  revokeLevel(context, { repoid, kind: 'user', ref: userid });

export const revokeUserGroupPermission: MethodHandler<'revoke_user_group_permission'> = (
  { repoid, usersgroupid },
  context,
) => revokeLevel(context, { repoid, kind: 'user group', ref: usersgroupid });
