declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  const addFootnotes: (markdown: MarkdownIt) => void;
  export default addFootnotes;
}

declare module 'markdown-it-emoji/lib/data/full.mjs' {
  const emojis: Readonly<Record<string, string>>;
  export default emojis;
}
