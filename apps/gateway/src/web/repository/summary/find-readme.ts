interface Entry {
  readonly name: string;
  readonly kind: string;
}

const markdownExtensions = ['md', 'markdown', 'mdown', 'mkd'];
/** Extensions in the order of preference; '' is `README` without an extension. */
const preferredExtensions = [...markdownExtensions, 'rst', 'txt', 'text', ''];
const markdownName = new RegExp(`\\.(?:${markdownExtensions.join('|')})$`, 'i');
const readmeName = /^readme(?:\.([^.]+))?$/i;
/** Names such as `README.de.md`: often a translation, or about a part of the project. */
const qualifiedReadmeName = /^readme(?:\.[^.]+)+\.([^.]+)$/i;

export function isMarkdown(name: string): boolean {
  return markdownName.test(name);
}

/** Returns the rank of a README's name, the lower the better; null for the name of any other file. */
function rankOf(name: string): number | null {
  const exact = readmeName.exec(name);
  const match = exact ?? qualifiedReadmeName.exec(name);
  if (!match) return null;
  const { 1: extension = '' } = match;
  const preference = preferredExtensions.indexOf(extension.toLowerCase());
  const count = preferredExtensions.length + 1;
  return (preference === -1 ? count - 1 : preference) + (exact ? 0 : count);
}

/**
 * Returns the name of a directory's README, in upper or lower case: `README.<extension>` in the order of the preferred
 * extensions, then with any other extension; a name with two dots only if there is none of these. Null when no file is
 * a README.
 */
export function findReadme(entries: readonly Entry[]): string | null {
  const ranked = entries.flatMap(({ kind, name }) => {
    const rank = kind === 'file' ? rankOf(name) : null;
    return rank === null ? [] : [{ name, rank }];
  });
  const [best] = ranked.toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  return best?.name ?? null;
}
