import { levelName, type EmbeddedUserRecord } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { toEmbeddedUserRecord, type EmbeddedUserRow } from '../user/user-record.ts';

interface UserGroupMember {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly level: number;
}

const permissionOf = <K extends 'repository' | 'group'>(kind: K, level: number) =>
  `${kind}.${levelName(level)}` as const;

/** Returns records of the members of a repository or repository group: users first, then user groups. */
export function toMemberRecords<K extends 'repository' | 'group'>(
  kind: K,
  members: {
    readonly users: readonly { readonly user: EmbeddedUserRow; readonly level: number }[];
    readonly groups: readonly UserGroupMember[];
  },
  shown: { vault: SecretVault; toAdmin: boolean },
) {
  const userRecord = (user: EmbeddedUserRow): EmbeddedUserRecord =>
    toEmbeddedUserRecord(user, { ...shown, addresses: false });
  return [
    ...members.users.map(({ user, level }) =>
      Object.assign(userRecord(user), { type: 'user' as const, permission: permissionOf(kind, level) }),
    ),
    ...members.groups.map(({ id, name, active, level }) => ({
      type: 'users_group' as const,
      id,
      name,
      users_group_id: id,
      group_name: name,
      active,
      permission: permissionOf(kind, level),
    })),
  ];
}
