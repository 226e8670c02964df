import type { Token } from 'markdown-it';
import type { MarkdownBase } from '../thread/render-task.ts';
import { createHeadingIds } from './heading-ids.ts';
import { imageTarget, isElsewhere, linkTarget } from './link-target.ts';
import { becomeRemoteImage, linkRelation } from './remote-image.ts';

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
export function adaptTokens(tokens: readonly Token[], base: MarkdownBase): void {
  const idFor = createHeadingIds();
  for (const [index, token] of tokens.entries()) {
    if (token.attrs) token.attrs = token.attrs.flatMap(withoutStyle);
    if (token.type === 'heading_open') token.attrSet('id', idFor(textOf(tokens[index + 1])));
    if (token.children) token.children = adaptInline(token.children, base);
  }
}
