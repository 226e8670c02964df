import type { ArgsOfMethod, EntityRef, Methods } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { lockAdministeredRepoGroup } from '../../authz/repo-group/require-repo-group-level.ts';
import { removeLevels, setLevels, type Holder } from '../../repo-group/repo-group-permission-store.ts';
import type { NamedRepoGroup } from '../../repo-group/repo-group-store.ts';
import { findUserGroup } from '../../user-group/user-group-store.ts';
import { findNamedUser } from '../../user/user-store.ts';
import type { WriteContext } from '../context.ts';

interface Target {
  readonly id: number;
  readonly name: string;
}

export interface LevelChange {
  readonly group: EntityRef;
  readonly holder: Holder['kind'];
  readonly target: EntityRef;
  readonly below: ArgsOfMethod<Methods['grant_user_permission_to_repo_group']>['apply_to_children'];
  /** The level to set; null removes the one that the holder has. Undefined for a text that names none. */
  readonly level: number | null | undefined;
}

const acts = {
  user: { set: 'set_user_level', remove: 'remove_user_level' },
  'user group': { set: 'set_user_group_level', remove: 'remove_user_group_level' },
} as const;

async function findTarget(db: Db, kind: Holder['kind'], ref: EntityRef): Promise<Target | null> {
  if (kind === 'user group') return (await findUserGroup(db, ref)) ?? null;
  const user = await findNamedUser(db, ref);
  return user ? { id: user.id, name: user.username } : null;
}

/**
 * Changes a level on a repository group in one statement, and on what is below it in a transaction. `requireTarget` throws
 * the client's error for a holder that was not found, or a level that cannot be set.
 */
export async function changeLevels(
  { actOnRepoGroup, transact }: Pick<WriteContext, 'actOnRepoGroup' | 'transact'>,
  { group: ref, holder, target: targetRef, below, level }: LevelChange,
  requireTarget: (found: Target | null) => Target,
): Promise<{ readonly group: NamedRepoGroup; readonly target: Target }> {
  if (below === 'none') {
    const kind = acts[holder][level === null ? 'remove' : 'set'];
    const act = { kind, group: ref, target: targetRef, level: level ?? undefined };
    return actOnRepoGroup(act, ({ group, target }) => ({ group, target: requireTarget(target) }));
  }
  return transact(async (scope) => {
    const administered = await lockAdministeredRepoGroup(scope, ref);
    const target = requireTarget(await findTarget(scope.db, holder, targetRef));
    const [found, reach] = [
      { kind: holder, id: target.id },
      { ...administered, below },
    ];
    if (level === null) await removeLevels(scope.db, found, reach);
    if (typeof level === 'number') await setLevels(scope.db, found, reach, level);
    return { group: administered.group, target };
  });
}
