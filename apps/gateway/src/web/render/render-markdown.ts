import createMarkdown, { type Token } from 'markdown-it';
import emojis from 'markdown-it-emoji/lib/data/full.mjs';
import addFootnotes from 'markdown-it-footnote';
import { isAllowedUrl } from './link-target.ts';
import { makeAlerts, showTask } from './markdown-blocks.ts';
import { htmlMax, type DocumentBase } from './render-task.ts';
import { safeHtml } from './safe-html.ts';

const slugMax = 100;

function slugOf(heading: string): string {
  return heading
    .slice(0, slugMax)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Returns a function that gives each heading of a document a unique id, spelled as links inside the document spell it:
 * lower case, with hyphens for spaces, and numbered when a heading is repeated.
 */
function createHeadingIds(): (heading: string) => string {
  const uses = new Map<string, number>();
  return (heading) => {
    const slug = slugOf(heading);
    let id = slug;
    while (uses.has(id)) {
      const count = (uses.get(slug) ?? 0) + 1;
      uses.set(slug, count);
      id = `${slug}-${count}`;
    }
    uses.set(id, 0);
    return id;
  };
}

/** An address in angle brackets may be in the text of a link, but links hold no links: only the outer link stays. */
function withoutInnerLinks(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ type }) => {
    if (type === 'link_close') depth -= 1;
    const isInLink = depth > 0;
    if (type === 'link_open') depth += 1;
    return !isInLink || (type !== 'link_open' && type !== 'link_close');
  });
}

function textOf(inline: Token | undefined): string {
  const shown = inline?.children?.filter(({ type }) => type === 'text' || type === 'code_inline') ?? [];
  return shown.map(({ content }) => content).join('');
}

function withEmojis(text: string): string {
  return text.replace(/:([a-z0-9_+-]{1,60}):/g, (written, name: string) =>
    Object.hasOwn(emojis, name) ? (emojis[name] ?? written) : written,
  );
}

/** Gives headings their ids, and shows tasks and emojis. Ids are made of the names of emojis. */
function adaptTokens(tokens: readonly Token[]): void {
  const idFor = createHeadingIds();
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', idFor(textOf(tokens[at + 1])));
    showTask(tokens, at);
    if (!token.children) continue;
    token.children = withoutInnerLinks(token.children);
    for (const child of token.children) if (child.type === 'text') child.content = withEmojis(child.content);
  }
}

const markdown = createMarkdown({ html: true, linkify: true }).use(addFootnotes).disable('footnote_inline');
markdown.core.ruler.push('alerts', makeAlerts);
markdown.validateLink = isAllowedUrl;
// Beside URLs with a scheme and e-mail addresses only `www.` begins a link: `main.rs` and `README.md` are not hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: true });
markdown.linkify.add('//', null);
markdown.linkify.add('www.', {
  validate(text, at, { re }) {
    const address = re.get_relative_proto_validator();
    address.lastIndex = at;
    return address.exec(text)?.[0].length ?? 0;
  },
  normalize(match) {
    match.url = `http://${match.url}`;
  },
});

/** Renders untrusted Markdown as safe HTML; null when the HTML would be too large. */
export function renderMarkdown(text: string, base: DocumentBase): string | null {
  const env = {};
  const tokens = markdown.parse(text, env);
  adaptTokens(tokens);
  const html = markdown.renderer.render(tokens, markdown.options, env);
  return html.length > htmlMax ? null : safeHtml(html, base);
}
