import { DefaultPermissionsRecord } from '@trunkline/contracts';

const { repository, group, usergroup, register } = DefaultPermissionsRecord.entries;

/** Groups of permissions of which the user `default` has exactly one. */
export const choices = {
  repository: repository.options,
  group: group.options,
  usergroup: usergroup.options,
  register: register.options,
} as const;

/** Permissions that the user `default` either has or does not have. */
export const switches = {
  create_repository: 'hg.create.repository',
  fork_repository: 'hg.fork.repository',
} as const;

/** Returns the record of the user `default`'s permissions; a group without a permission shows its first choice. */
export function toDefaultPermissionsRecord(permissions: readonly string[]): DefaultPermissionsRecord {
  const chosen = <P extends string>(known: readonly [P, ...P[]]): P =>
    known.find((one) => permissions.includes(one)) ?? known[0];
  return {
    repository: chosen(choices.repository),
    group: chosen(choices.group),
    usergroup: chosen(choices.usergroup),
    create_repository: permissions.includes(switches.create_repository),
    fork_repository: permissions.includes(switches.fork_repository),
    register: chosen(choices.register),
  };
}
