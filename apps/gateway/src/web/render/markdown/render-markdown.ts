import createMarkdown from 'markdown-it';
import { highlightLines } from '../highlight/highlight-lines.ts';
import { languageNamed } from '../highlight/language-of.ts';
import { htmlMax, textMax } from '../thread/render-caps.ts';
import type { MarkdownBase } from '../thread/render-task.ts';
import { adaptTokens } from './adapt-tokens.ts';
import { isAllowedUrl } from './link-target.ts';
import { plainMarkdown } from './plain-markdown.ts';
import { renderRemoteImage } from './remote-image.ts';

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
