/** Names without an escaped character, which are equal only if they are written in the same way. */
const plainName = /^[\w*-]+$/;

/** Sorts the arguments of a command of Mercurial by name, where their order has no meaning: no name is there twice. */
export function sortedHgArgs(args: string): string {
  const pairs = args.split('&');
  const names = pairs.map((pair) => pair.split('=', 1)[0] ?? '');
  const haveMeaning = new Set(names).size < names.length || !names.every((name) => plainName.test(name));
  return haveMeaning ? args : pairs.toSorted().join('&');
}
