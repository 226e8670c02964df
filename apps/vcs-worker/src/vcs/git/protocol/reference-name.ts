/** Bytes of a whole name, and of one part of it as a name of a file with `.lock` behind it. */
const nameBytesMax = 1_000;
const partBytesMax = 250;

/** Namespaces that git or this service gives a meaning: a client could change what others see of the history. */
const reserved = ['replace', 'trunkline', 'bisect', 'rewritten', 'worktree'];

/** What git refuses in a part of a name. */
const badPart = /^\.|\.lock$|\.\.|@\{|^$/;
// oxlint-disable-next-line no-control-regex -- git refuses control characters
const badCharacters = /[\x00-\x20\x7f~^:?*[\\\ufffd]/;

/** Returns the client's text for a reference that no push may change; null for one that pushes may. */
export function referenceNameProblem(name: string): string | null {
  const [refs, namespace = '', ...parts] = name.split('/');
  if (refs !== 'refs' || parts.length === 0)
    return 'only names below refs/heads/, refs/tags/ and the like are accepted';
  if (reserved.includes(namespace)) return `names below refs/${namespace}/ are reserved`;
  const all = [namespace, ...parts];
  if (badCharacters.test(name) || name.endsWith('.') || all.some((part) => badPart.test(part))) {
    return 'git does not allow this name';
  }
  const isLong = Buffer.byteLength(name) > nameBytesMax || all.some((part) => Buffer.byteLength(part) > partBytesMax);
  return isLong ? 'the name is too long' : null;
}
