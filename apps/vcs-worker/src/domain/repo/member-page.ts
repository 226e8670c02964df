import { levelName, type MemberCursor } from '@trunkline/contracts';
import {
  type Db,
  followers,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
} from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { cutPage } from '../../methods/read-list.ts';

/** A part of a list that is sorted by id. */
export interface PageById {
  readonly limit: number;
  /** The id after which the page begins; 0 is the beginning. */
  readonly after: number;
}

export interface MemberRow {
  readonly id: number;
  readonly name: string;
  readonly level: number;
}

type ReadMembers = (page: PageById) => Promise<readonly MemberRow[]>;

interface MemberPage {
  readonly limit: number;
  readonly cursor: MemberCursor | null;
}

const noMembers: ReadMembers = async () => [];

/** Returns a page of the members of a repository or repository group: users first, then user groups. */
export async function readMemberPage(
  kind: 'repository' | 'group',
  { limit, cursor }: MemberPage,
  { users, groups }: { readonly users: ReadMembers; readonly groups: ReadMembers },
) {
  const wanted = limit + 1;
  const isAmongGroups = cursor?.type === 'user_group';
  const after = cursor?.id ?? 0;
  const readUsers = isAmongGroups ? noMembers : users;
  const found = (await readUsers({ limit: wanted, after })).map((row) => ({ type: 'user' as const, ...row }));
  const rest = wanted - found.length;
  const added = rest === 0 ? [] : await groups({ limit: rest, after: isAmongGroups ? after : 0 });
  const rows = [...found, ...added.map((row) => ({ type: 'user_group' as const, ...row }))];
  const { shown, next } = cutPage(rows, limit, ({ type, id }) => `${type}:${id}`);
  return {
    members: shown.map(({ type, name, level }) => ({ type, name, permission: `${kind}.${levelName(level)}` })),
    next,
  };
}

// Names are read for each entry by itself: Postgres would join a table of some thousand names by reading all of it.

/** Lists a page of the followers of a repository, in the order of their ids. */
export async function pageOfFollowers(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ username: users.username, firstname: users.firstname, lastname: users.lastname })
    .from(users)
    .where(eq(users.id, followers.userId))
    .limit(1)
    .as('shown');
  return db
    .select({ id: followers.userId, username: shown.username, firstname: shown.firstname, lastname: shown.lastname })
    .from(followers)
    .innerJoinLateral(shown, sql`true`)
    .where(and(eq(followers.repositoryId, repositoryId), gt(followers.userId, after)))
    .orderBy(asc(followers.userId))
    .limit(limit);
}

/** Lists a page of the users with a level of their own on a repository, `default` included. */
export async function pageOfUsers(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: users.username })
    .from(users)
    .where(eq(users.id, userRepositoryPermissions.userId))
    .limit(1)
    .as('shown');
  return db
    .select({ id: userRepositoryPermissions.userId, name: shown.name, level: userRepositoryPermissions.level })
    .from(userRepositoryPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(and(eq(userRepositoryPermissions.repositoryId, repositoryId), gt(userRepositoryPermissions.userId, after)))
    .orderBy(asc(userRepositoryPermissions.userId))
    .limit(limit);
}

/** Lists a page of the user groups with a level on a repository. */
export async function pageOfUserGroups(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: userGroups.name })
    .from(userGroups)
    .where(eq(userGroups.id, userGroupRepositoryPermissions.userGroupId))
    .limit(1)
    .as('shown');
  return db
    .select({
      id: userGroupRepositoryPermissions.userGroupId,
      name: shown.name,
      level: userGroupRepositoryPermissions.level,
    })
    .from(userGroupRepositoryPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(
      and(
        eq(userGroupRepositoryPermissions.repositoryId, repositoryId),
        gt(userGroupRepositoryPermissions.userGroupId, after),
      ),
    )
    .orderBy(asc(userGroupRepositoryPermissions.userGroupId))
    .limit(limit);
}
