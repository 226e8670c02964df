const texts: ReadonlyMap<string, string> = new Map([
  ['hg.admin', 'Administers the service'],
  ['hg.create.repository', 'Creates repositories'],
  ['hg.create.none', 'Creates no repositories'],
  ['hg.fork.repository', 'Forks repositories'],
  ['hg.fork.none', 'Forks no repositories'],
  ['hg.create.write_on_repogroup.true', 'Creates repositories in groups on which there is write permission'],
  ['hg.create.write_on_repogroup.false', 'Creates no repositories in groups with write permission alone'],
  ['hg.register.none', 'Nobody registers without an administrator'],
  ['hg.register.manual_activate', 'Who registers is let in by an administrator'],
  ['hg.register.auto_activate', 'Who registers is let in at once'],
]);

const defaults = { repository: 'new repositories', group: 'new repository groups', usergroup: 'user groups' } as const;

function textOf(permission: string): string {
  const [kind, level] = permission.split('.');
  const named = Object.entries(defaults).find(([one]) => one === kind)?.[1];
  return texts.get(permission) ?? (named === undefined ? permission : `On ${named}, from everybody: ${level}`);
}

/** Descriptions of global permissions, by their names. */
export function globalPermissionTexts(permissions: readonly string[]): readonly (readonly [string, string])[] {
  return permissions.map((permission) => [permission, textOf(permission)]);
}
