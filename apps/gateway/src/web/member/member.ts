type MemberType = 'user' | 'user_group';

/** A user or user group with a level on a repository or a repository group. */
export interface Member {
  readonly type: MemberType;
  readonly name: string;
  /** The name of the level, such as `repository.read`; in a form also `revoke`. */
  readonly permission: string;
}

/** The kind of object that a level is set on; the prefix of the level's name. */
export type LevelKind = 'repository' | 'group';

/** Returns the member and level that a form names; `revoke` instead of a level removes the level. */
export function sentMember(form: URLSearchParams): Member {
  return {
    type: form.get('member_type') === 'user_group' ? 'user_group' : 'user',
    name: form.get('member')?.trim() ?? '',
    permission: form.get('perm') ?? '',
  };
}

/** Returns the notice after a member's level was set or removed. */
export function levelNotice({ name, permission }: Member): string {
  const level = permission.slice(permission.indexOf('.') + 1);
  return permission === 'revoke' ? `The level of ${name} was removed.` : `The level of ${name} is now ${level}.`;
}
