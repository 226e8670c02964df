interface Entry {
  readonly name: string;
  readonly kind: string;
}

const markdownExtensions = ['md', 'markdown', 'mdown', 'mkd'];
/** The best first; '' is `README` without an extension. */
const preferredExtensions = [...markdownExtensions, 'rst', 'txt', 'text', ''];
const markdownName = new RegExp(`\\.(?:${markdownExtensions.join('|')})$`, 'i');
const readmeName = /^readme(?:\.([^.]+))?$/i;
/** `README.de.md`: often a translation, or about a part of the project. */
const qualifiedReadmeName = /^readme(?:\.[^.]+)+\.([^.]+)$/i;

export function isMarkdown(name: string): boolean {
  return markdownName.test(name);
}

/** The lower the better; null for a name that is not that of a README. */
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
 * The file of a directory that tells what it is about, in any case: `README.<extension>` in the order of the preferred
 * extensions, then with any other one; names with two dots only where there is none of these.
 */
export function findReadme(entries: readonly Entry[]): string | null {
  const ranked = entries.flatMap(({ kind, name }) => {
    const rank = kind === 'file' ? rankOf(name) : null;
    return rank === null ? [] : [{ name, rank }];
  });
  const [best] = ranked.toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  return best?.name ?? null;
}
