import createMarkdown, { type RendererRule, type Token } from 'markdown-it';
import { imageTarget, isAllowedUrl, isElsewhere, linkTarget, nameInAddress, prefixedId } from './link-target.ts';
import { cutText, shownText } from './shown-text.ts';
import { escapeHtml, plainMarkdown } from './plain-text.ts';
import { htmlMax, textMax, type MarkdownBase } from './render-task.ts';
import { highlightLines, languageNamed } from './highlight-lines.ts';

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
    return prefixedId(id);
  };
}

const nameMax = 100;

/**
 * The `rel` of every link of a document: not followed by search engines, without `window.opener` and without referrer.
 */
const linkRelation = 'nofollow noopener noreferrer';

/** Turns a remote image, which the pages' Content-Security-Policy forbids, into a link or, inside a link, into text. */
function becomeRemoteImage(token: Token, address: string, isInLink: boolean): void {
  const titles = token.attrs?.filter(([name]) => name === 'title') ?? [];
  token.type = 'remote_image';
  token.attrs = isInLink ? null : [['href', address], ['rel', linkRelation], ...titles];
  // The alternative text is in the children; this content replaces an empty one.
  token.content = cutText(shownText(nameInAddress(address)), nameMax);
}

const renderRemoteImage: RendererRule = (tokens, index, options, env, renderer) => {
  const token = tokens[index];
  if (!token) return '';
  const alternative = renderer.renderInlineAsText(token.children ?? [], options, env).trim();
  const text = `<span class="remote-image">${escapeHtml(alternative || token.content)}</span>`;
  return token.attrs ? `<a${renderer.renderAttrs(token)}>${text}</a>` : text;
};

const titleMax = 500;

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

/** Cuts the title of a link or image, which would multiply when many references repeat it. */
function cutTitle(token: Token): void {
  const title = attribute(token, 'title');
  if (title.length > titleMax) token.attrSet('title', title.slice(0, titleMax));
}

function adaptLink(token: Token, base: MarkdownBase): void {
  token.attrSet('href', linkTarget(attribute(token, 'href'), base));
  token.attrSet('rel', linkRelation);
  cutTitle(token);
}

function adaptImage(token: Token, base: MarkdownBase, isInLink: boolean): void {
  const target = imageTarget(attribute(token, 'src'), base);
  if (target === undefined) {
    // The content of an image's token is the alternative text.
    token.type = 'text';
    return;
  }
  cutTitle(token);
  if (isElsewhere(target)) {
    becomeRemoteImage(token, target, isInLink);
    return;
  }
  token.attrSet('src', target);
  token.attrSet('loading', 'lazy');
}

/**
 * Adapts links and images. An address in angle brackets may be in the text of a link, but links hold no links: only the
 * outer link stays.
 */
function adaptInline(tokens: readonly Token[], base: MarkdownBase): Token[] {
  let depth = 0;
  return tokens.filter((token) => {
    if (token.type === 'link_close') depth -= 1;
    const isInLink = depth > 0;
    if (token.type === 'link_open') {
      adaptLink(token, base);
      depth += 1;
    } else if (token.type === 'image') adaptImage(token, base, isInLink);
    return !isInLink || (token.type !== 'link_open' && token.type !== 'link_close');
  });
}

/**
 * Replaces style attributes, which the pages' Content-Security-Policy forbids; only alignment of table cells uses them.
 */
function withoutStyle([name, value]: [string, string | number]): [string, string | number][] {
  if (name !== 'style') return [[name, value]];
  const alignment = /^text-align:(left|center|right)$/.exec(String(value))?.[1];
  return alignment ? [['class', `align-${alignment}`]] : [];
}

function textOf(inline: Token | undefined): string {
  const shown = inline?.children?.filter(({ type }) => type === 'text' || type === 'code_inline') ?? [];
  return shown.map(({ content }) => content).join('');
}

/** Adapts the links, images, ids and classes of a parsed document to the page of its file. */
function adaptTokens(tokens: readonly Token[], base: MarkdownBase): void {
  const idFor = createHeadingIds();
  for (const [index, token] of tokens.entries()) {
    if (token.attrs) token.attrs = token.attrs.flatMap(withoutStyle);
    if (token.type === 'heading_open') token.attrSet('id', idFor(textOf(tokens[index + 1])));
    if (token.children) token.children = adaptInline(token.children, base);
  }
}

const markdown = createMarkdown({
  html: false,
  linkify: true,
  // markdown-it emits a result that begins with `<pre` as it is.
  highlight: (code, name) =>
    `<pre class="code"><code>${highlightLines(code, languageNamed(name)).join('\n')}</code></pre>`,
});
markdown.validateLink = isAllowedUrl;
// Only URLs with a scheme become links: `main.rs` and `README.md` are not hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.linkify.add('//', null);
markdown.renderer.rules['remote_image'] = renderRemoteImage;

/** Renders untrusted Markdown as safe HTML; as preformatted text when the Markdown or the HTML is too large. */
export function renderMarkdown(text: string, base: MarkdownBase): string {
  if (text.length > textMax) return plainMarkdown(text);
  const env = {};
  const tokens = markdown.parse(text, env);
  adaptTokens(tokens, base);
  const html = markdown.renderer.render(tokens, markdown.options, env);
  return html.length > htmlMax ? plainMarkdown(text) : html;
}
