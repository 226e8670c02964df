import { groupNames, levelName, reaches, type ArgsOfMethod, type Served } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { caselessPattern } from '../../domain/repo/caseless-pattern.ts';
import { toListedPage } from '../../domain/repo/repository-list-record.ts';
import { listListed, type ListedFilter } from '../../domain/repo/repository-list-store.ts';
import { repoGroupNotFound } from '../../domain/groups/repo-group-store.ts';
import { findListedGroup, listGroups } from '../../domain/groups/repo-group-list-store.ts';
import type { MethodHandler } from '../context.ts';

const groupsMax = 500;

async function requireReadableGroup(db: Db, userId: number, name: string) {
  const group = await findListedGroup(db, userId, name);
  if (!group || !reaches(group.level, 'read')) throw repoGroupNotFound({ sent: name, id: null, name });
  return group;
}

type Group = Awaited<ReturnType<typeof requireReadableGroup>>;

function toFilter(args: ArgsOfMethod<Served['browse_repositories']>, group: Group | null): ListedFilter {
  const { filter, owned, watched } = args;
  if (filter === null && !owned && !watched) return { groupId: group?.id ?? null };
  return {
    owned,
    watched,
    ...(group && { below: group.name }),
    ...(filter !== null && { pattern: caselessPattern(filter) }),
  };
}

export const browseRepositories: MethodHandler<'browse_repositories'> = async (args, { db, access }) => {
  const { limit, cursor, owned, watched } = args;
  const userId = access.user.id;
  const parent = args.group === null ? null : await requireReadableGroup(db, userId, args.group);
  const pattern = args.filter === null ? null : caselessPattern(args.filter);
  const withGroups = cursor === null && !owned && !watched;
  const [rows, groups] = await Promise.all([
    listListed(db, userId, toFilter(args, parent), { limit: limit + 1, cursor }),
    withGroups ? listGroups(db, userId, { parent, pattern }, groupsMax + 1) : [],
  ]);
  return {
    group: parent && { name: parent.name, description: parent.description, level: levelName(parent.level) },
    parents: parent ? groupNames(parent.name) : [],
    groups: groups.slice(0, groupsMax).map(({ name, description }) => ({ name, description })),
    groups_cut: groups.length > groupsMax,
    ...toListedPage(rows, limit),
  };
};
