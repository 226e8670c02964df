interface Entry {
  readonly name: string;
  readonly kind: string;
}

const isMarkdownName = /\.(?:md|markdown|mdown|mkd)$/i;
const isPlainName = /^readme(?:\.(?:txt|text))?$/i;

export function isMarkdown(name: string): boolean {
  return isMarkdownName.test(name);
}

function rank(name: string): number {
  if (isMarkdown(name)) return 0;
  return isPlainName.test(name) ? 1 : 2;
}

/** The README of a directory: Markdown before text, and both before other types. */
export function findReadme(entries: readonly Entry[]): string | null {
  const names = entries.filter(({ kind, name }) => kind === 'file' && /^readme(?:\..+)?$/i.test(name));
  const [first] = names.toSorted((a, b) => rank(a.name) - rank(b.name));
  return first?.name ?? null;
}
