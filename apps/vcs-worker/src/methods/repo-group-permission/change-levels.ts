import type { ArgsOfMethod, EntityRef, Methods } from '@trunkline/contracts';
import { lockAdministeredRepoGroup, requireRepoGroupLevel } from '../../authz/repo-group/require-repo-group-level.ts';
import { removeLevels, setLevels, type Holder } from '../../domain/groups/repo-group-permission-store.ts';
import type { NamedRepoGroup } from '../../domain/groups/repo-group-store.ts';
import { keepHolder, removeHeldRow } from '../../domain/user/change-held-row.ts';
import { findHolder, levelsOnRepoGroups, type FoundHolder } from '../../domain/user/held-row-store.ts';
import type { WriteContext } from '../context.ts';
import type { WriteScope } from '../../write-scope.ts';

type RequireTarget = (found: FoundHolder | null) => FoundHolder;

export interface LevelChange {
  readonly group: EntityRef;
  readonly holder: Holder['kind'];
  readonly target: EntityRef;
  readonly below: ArgsOfMethod<Methods['grant_user_permission_to_repo_group']>['apply_to_children'];
  /** The level to set; null removes the one that the holder has. Undefined for a text that names none. */
  readonly level: number | null | undefined;
}

/** Changes a level on a repository group alone, whose row is locked. */
async function changeLevel(
  scope: Pick<WriteScope, 'db' | 'access' | 'authorize'>,
  { holder: kind, target: ref, level }: LevelChange,
  object: number,
  requireTarget: RequireTarget,
): Promise<FoundHolder> {
  const rows = levelsOnRepoGroups[kind];
  if (level === null) return requireTarget((await removeHeldRow(scope, rows, { holder: ref, object })).holder);
  const target = requireTarget(await keepHolder(scope, kind, ref));
  if (level !== undefined) await rows.add(scope.db).execute({ id: target.id, object, level });
  return target;
}

/**
 * Changes a level on a repository group, and on what is below it. `requireTarget` throws the client's error for a holder that
 * was not found, or a level that cannot be set.
 */
export async function changeLevels(
  { transact }: Pick<WriteContext, 'transact'>,
  change: LevelChange,
  requireTarget: RequireTarget,
): Promise<{ readonly group: NamedRepoGroup; readonly target: FoundHolder }> {
  const { group: ref, holder: kind, below, level } = change;
  // A name that has passed to another group since an earlier run of the transaction names none.
  let named = ref;
  return transact(async (scope) => {
    const { id } = await requireRepoGroupLevel(scope.db, scope.access, named, 'admin');
    named = { ...ref, id };
    const { group, access, authorize } = await lockAdministeredRepoGroup(scope, named, id);
    const { db } = scope;
    if (below === 'none')
      return { group, target: await changeLevel({ db, access, authorize }, change, id, requireTarget) };
    const target = requireTarget(await findHolder(db, kind, change.target));
    const [found, reach] = [
      { kind, id: target.id },
      { group, administeredBy: access.user, below },
    ];
    if (level === null) await removeLevels(db, found, reach);
    if (typeof level === 'number') await setLevels(db, found, reach, level);
    return { group, target };
  });
}
