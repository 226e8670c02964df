const texts: ReadonlyMap<string, string> = new Map([
  ['hg.admin', 'Can administer the service'],
  ['hg.create.repository', 'Can create repositories'],
  ['hg.create.none', 'Cannot create repositories'],
  ['hg.fork.repository', 'Can fork repositories'],
  ['hg.fork.none', 'Cannot fork repositories'],
  ['hg.create.write_on_repogroup.true', 'Can create repositories in repository groups with write permission'],
  ['hg.create.write_on_repogroup.false', 'Cannot create repositories in repository groups with write permission only'],
  ['hg.register.none', 'Only administrators can register users'],
  ['hg.register.manual_activate', 'New users can sign in after an administrator has activated them'],
  ['hg.register.auto_activate', 'New users can sign in immediately'],
]);

const defaults = { repository: 'new repositories', group: 'new repository groups', usergroup: 'user groups' } as const;

function textOf(permission: string): string {
  const [kind, level] = permission.split('.');
  const named = Object.entries(defaults).find(([one]) => one === kind)?.[1];
  return texts.get(permission) ?? (named === undefined ? permission : `Default level on ${named}: ${level}`);
}

/**
 * Returns pairs of a permission's name and its description; a permission without a description has its name instead.
 */
export function globalPermissionTexts(permissions: readonly string[]): readonly (readonly [string, string])[] {
  return permissions.map((permission) => [permission, textOf(permission)]);
}
