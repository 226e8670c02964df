const versionPattern = /^version=([012])$/;

/** Returns the newest known version of git's protocol that the header `Git-Protocol` names; 0 when it names none. */
export function gitProtocol(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const versions = header.split(':').map((word) => Number(versionPattern.exec(word)?.[1] ?? 0));
  return Math.max(0, ...versions);
}
