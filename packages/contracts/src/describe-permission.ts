import type { Permission } from './method.ts';

/** Returns a sentence of Markdown that names the users who may call a method. */
export function describePermission({ caller, repository, repoGroup, userGroupOwner }: Permission): string {
  if (caller === 'admin') return 'Administrators.';
  if (userGroupOwner) return 'Administrators, and the owner of the user group.';
  const globally = caller === 'any' ? [] : [caller.map((one) => `\`${one}\``).join(' or ')];
  const rights = [
    ...globally,
    ...(repository && repository !== 'none' ? [`at least ${repository} on the repository`] : []),
    ...(repoGroup ? [`at least ${repoGroup} on the repository group`] : []),
  ];
  return rights.length === 0 ? 'Every user.' : `Administrators, and users with ${rights.join(' and ')}.`;
}
