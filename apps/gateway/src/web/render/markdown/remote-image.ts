import type { RendererRule, Token } from 'markdown-it';
import { cutText } from '../text/cut-text.ts';
import { escapeHtml } from '../text/escape-html.ts';
import { shownText } from '../text/shown-text.ts';
import { nameInAddress } from './link-target.ts';

const nameMax = 100;

/**
 * The `rel` of every link of a document: not followed by search engines, without `window.opener` and without referrer.
 */
export const linkRelation = 'nofollow noopener noreferrer';

/** Turns a remote image, which the pages' Content-Security-Policy forbids, into a link or, inside a link, into text. */
export function becomeRemoteImage(token: Token, address: string, isInLink: boolean): void {
  const titles = token.attrs?.filter(([name]) => name === 'title') ?? [];
  token.type = 'remote_image';
  token.attrs = isInLink ? null : [['href', address], ['rel', linkRelation], ...titles];
  // The alternative text is in the children; this content replaces an empty one.
  token.content = cutText(shownText(nameInAddress(address)), nameMax);
}

export const renderRemoteImage: RendererRule = (tokens, index, options, env, renderer) => {
  const token = tokens[index];
  if (!token) return '';
  const alternative = renderer.renderInlineAsText(token.children ?? [], options, env).trim();
  const text = `<span class="remote-image">${escapeHtml(alternative || token.content)}</span>`;
  return token.attrs ? `<a${renderer.renderAttrs(token)}>${text}</a>` : text;
};
