const schemes = { hg: /^(?:https?|ssh):$/, git: /^(?:https?|ssh|git):$/ } as const;

/** Returns whether a remote location can be pulled from here; what it holds is shown nowhere. */
export function isRemote(type: 'hg' | 'git', cloneUri: string): boolean {
  return URL.canParse(cloneUri) && schemes[type].test(new URL(cloneUri).protocol) && new URL(cloneUri).hostname !== '';
}
