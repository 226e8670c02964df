import type { RendererRule, Token } from 'markdown-it';
import { cutText } from '../text/cut-text.ts';
import { escapeHtml } from '../text/escape-html.ts';
import { shownText } from '../text/shown-text.ts';
import { nameInAddress } from './link-target.ts';

const nameMax = 100;

/** What a link out of the repository tells, and does not tell, its target. */
export const linkRelation = 'nofollow noopener noreferrer';

/** The policy of the pages forbids remote images: one becomes a link to it or, inside a link, the text of that. */
export function becomeRemoteImage(token: Token, address: string, isInLink: boolean): void {
  const titles = token.attrs?.filter(([name]) => name === 'title') ?? [];
  token.type = 'remote_image';
  token.attrs = isInLink ? null : [['href', address], ['rel', linkRelation], ...titles];
  // The text stands in the children; this is for an empty one.
  token.content = cutText(shownText(nameInAddress(address)), nameMax);
}

export const renderRemoteImage: RendererRule = (tokens, index, options, env, renderer) => {
  const token = tokens[index];
  if (!token) return '';
  const alternative = renderer.renderInlineAsText(token.children ?? [], options, env).trim();
  const text = `<span class="remote-image">${escapeHtml(alternative || token.content)}</span>`;
  return token.attrs ? `<a${renderer.renderAttrs(token)}>${text}</a>` : text;
};
