import type { ArgsOfMethod, Methods } from '@trunkline/contracts';
import {
  choices,
  choosePermission,
  loadDefaultPermissions,
  lockDefaultUser,
  overwriteGroupLevels,
  overwriteRepositoryLevels,
  switches,
} from '../../domain/user/default-permission-store.ts';
import type { MethodHandler } from '../context.ts';
import { requirePermission } from '../../authz/require-permission.ts';
import { defaultLevel } from '../../domain/groups/repo-group-store.ts';
import type { WriteScope } from '../../write-scope.ts';

export const getDefaultPermissions: MethodHandler<'get_default_permissions'> = async (_args, { db }) =>
  loadDefaultPermissions(db);

type Args = ArgsOfMethod<Methods['update_default_permissions']>;

async function change(db: WriteScope['db'], args: Args): Promise<void> {
  for (const kind of ['repository', 'group', 'usergroup', 'register'] as const) {
    const among: readonly string[] = choices[kind];
    if (args[kind] !== null) await choosePermission(db, among, requirePermission(args[kind], among));
  }
  for (const kind of ['create_repository', 'fork_repository'] as const) {
    if (args[kind] !== null) await choosePermission(db, [switches[kind]], args[kind] ? switches[kind] : null);
  }
}

export const updateDefaultPermissions: MethodHandler<'update_default_permissions'> = async (args, { transact }) =>
  transact(async ({ db }) => {
    await lockDefaultUser(db);
    await change(db, args);
    if (args.overwrite_repositories) await overwriteRepositoryLevels(db, await defaultLevel(db, 'repository'));
    if (args.overwrite_groups) await overwriteGroupLevels(db, await defaultLevel(db, 'group'));
    return { msg: 'updated default permissions', permissions: await loadDefaultPermissions(db) };
  });
