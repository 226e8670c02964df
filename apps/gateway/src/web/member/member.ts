type MemberType = 'user' | 'user_group';

/** A user or user group with a level of its own on a repository or a repository group. */
export interface Member {
  readonly type: MemberType;
  readonly name: string;
  /** Such as `repository.read`. */
  readonly permission: string;
}

/** What levels are on: the word that their names begin with. */
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

/** What a form says of a member; `revoke` in place of a level takes it away. */
export function sentMember(form: URLSearchParams): Member {
  return {
    type: form.get('member_type') === 'user_group' ? 'user_group' : 'user',
    name: form.get('member')?.trim() ?? '',
    permission: form.get('perm') ?? '',
  };
}
