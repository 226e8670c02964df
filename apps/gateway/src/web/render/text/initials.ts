/** One or two letters that stand for a person; nothing is asked of other hosts. */
export function initials(name: string): string {
  const words = name.slice(0, 200).split(/[\s._@-]+/u);
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  const [first = '?', ...others] = letters;
  return `${first}${others.at(-1) ?? ''}`.toUpperCase();
}
