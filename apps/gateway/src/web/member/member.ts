type MemberType = 'user' | 'user_group';

/** A user or user group with a level on a repository or a repository group. */
export interface Member {
  readonly type: MemberType;
  readonly name: string;
  /** Such as `repository.read`. */
  readonly permission: string;
}

/** The kind of object that levels are on: the prefix of their names. */
export type LevelKind = 'repository' | 'group';

type MemberRecord =
  | { readonly type: 'user'; readonly username: string; readonly permission: string }
  | { readonly type: 'users_group'; readonly group_name: string; readonly permission: string };

export function toMember(record: MemberRecord): Member {
  const { permission } = record;
  return record.type === 'user'
    ? { type: 'user', name: record.username, permission }
    : { type: 'user_group', name: record.group_name, permission };
}

/** The member and level of a form; `revoke` instead of a level removes it. */
export function sentMember(form: URLSearchParams): Member {
  return {
    type: form.get('member_type') === 'user_group' ? 'user_group' : 'user',
    name: form.get('member')?.trim() ?? '',
    permission: form.get('perm') ?? '',
  };
}

/** What setting a member's level did. */
export function levelNotice({ name, permission }: Member): string {
  const level = permission.slice(permission.indexOf('.') + 1);
  return permission === 'revoke' ? `${name} has no level of its own now.` : `The level of ${name} is ${level} now.`;
}
