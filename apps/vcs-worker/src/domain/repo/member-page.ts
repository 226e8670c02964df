import { levelName, type MemberCursor } from '@trunkline/contracts';
import { cutPage } from '../../serve/lists/cut-page.ts';

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
