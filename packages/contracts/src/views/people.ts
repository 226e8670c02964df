import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

const idMax = 2 ** 31 - 1;

const read = { lane: 'metadata', access: 'read' } as const;
const limit = optional(wholeNumber(1, 200), 50, 'Maximum number of entries');
const repoid = required(entityRef, 'Repository name or id');
const next = v.nullable(v.string());

export const listFollowers = defineMethod({
  name: 'list_followers',
  summary: 'Lists the followers of a repository, in the order of their ids.',
  permission: { caller: 'any', repository: 'read', refuseOpenly: true },
  ...read,
  args: {
    repoid,
    limit,
    cursor: optional(wholeNumber(0, idMax), null, 'Only users after the one with this id', 'the beginning'),
  },
  result: v.strictObject({
    followers: v.array(
      v.strictObject({ username: v.string(), firstname: v.nullable(v.string()), lastname: v.nullable(v.string()) }),
    ),
    next,
  }),
});

/** The last member of a page. */
export interface MemberCursor {
  readonly type: 'user' | 'user_group';
  readonly id: number;
}

const memberCursor: v.GenericSchema<unknown, MemberCursor> = v.pipe(
  text(30),
  v.regex(/^(?:user|user_group):[0-9]{1,10}$/, 'must be the `next` of another page'),
  v.transform((value): MemberCursor => {
    const [type, id] = value.split(':');
    return { type: type === 'user' ? 'user' : 'user_group', id: Number(id) };
  }),
  v.check(({ id }) => id <= idMax, 'must be the `next` of another page'),
);

const memberPage = {
  limit,
  cursor: optional(memberCursor, null, 'Only members after those of the page whose `next` this is', 'the beginning'),
};
const Members = v.strictObject({
  members: v.array(
    v.strictObject({ type: v.picklist(['user', 'user_group']), name: v.string(), permission: v.string() }),
  ),
  next,
});

export const listMembers = defineMethod({
  name: 'list_members',
  summary: 'Lists users and then user groups with a level of their own on a repository, in the order of their ids.',
  permission: { caller: 'any', repository: 'admin', refuseOpenly: true },
  ...read,
  args: { repoid, ...memberPage },
  result: Members,
});

export const listGroupMembers = defineMethod({
  name: 'list_group_members',
  summary:
    'Lists users and then user groups with a level of their own on a repository group, in the order of their ids.',
  permission: { caller: 'admin' },
  ...read,
  args: { repogroupid: required(wholeNumber(0, idMax), 'Repository group id'), ...memberPage },
  result: Members,
});

export const viewRepoGroup = defineMethod({
  name: 'view_repo_group',
  summary: 'Returns the data of a repository group that the administration pages show; null when there is none.',
  permission: { caller: 'admin' },
  ...read,
  args: { repogroupid: required(entityRef, 'Repository group id') },
  result: v.nullable(
    v.strictObject({
      group_name: v.string(),
      description: v.string(),
      parent_group: v.nullable(v.string()),
      owner: v.string(),
    }),
  ),
});
