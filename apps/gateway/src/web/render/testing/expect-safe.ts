import { expect } from 'vitest';

export const base = { directory: 'docs', linkBase: '/group/repo/files/tip/', rawBase: '/group/repo/raw/tip/' };

const words =
  'alert alert-title alert-note alert-tip alert-important alert-warning alert-caution align-left align-center ' +
  'align-right anchor block-title code footnotes line-block plain remote-image task';
const ours = new RegExp(`^(?:(?:${words.replaceAll(' ', '|')}|hljs-[\\w.-]+|[\\w-]+_)(?: |$))+$`);

const attributes: Record<string, RegExp> = {
  href: /^(?:https?:|mailto:|\/\/|\/group\/repo\/files\/tip\/|#)/i,
  src: /^\/group\/repo\/raw\/tip\//,
  rel: /^nofollow noopener noreferrer$/,
  id: /^doc-/,
  class: ours,
  title: /^/,
  alt: /^/,
  loading: /^lazy$/,
  start: /^-?\d+$/,
  width: /^\d+%?$/,
  height: /^\d+%?$/,
  colspan: /^\d+$/,
  rowspan: /^\d+$/,
  dir: /^(?:ltr|rtl|auto)$/,
  open: /^$/,
  'aria-label': /^Link to this heading$/,
};
const tags =
  'a|abbr|b|blockquote|br|caption|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|h[1-6]|hr|i|img|ins|kbd|' +
  'li|mark|ol|p|pre|q|rp|rt|ruby|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|var|wbr';
const withoutEnd = new Set(['br', 'hr', 'img', 'wbr']);

/** Checks all of the HTML: fails on any tag, attribute or value that is not known to be harmless, and on any open tag. */
export function expectSafe(html: string): void {
  const open: string[] = [];
  const pattern = new RegExp(`<(/?)(${tags})((?: [a-z-]+="[^"<>]*")*)>`, 'g');
  const rest = html.replace(pattern, (_tag, slash: string, name: string, written: string) => {
    for (const { 1: attribute = '', 2: value = '' } of written.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
      expect(attributes[attribute], `${attribute}=${value}`).toBeDefined();
      expect(value).toMatch(attributes[attribute] ?? /^$/);
    }
    if (slash !== '') expect(open.pop(), html).toBe(name);
    else if (!withoutEnd.has(name)) open.push(name);
    expect(open.filter((one) => one === 'a').length, html).toBeLessThan(2);
    return '';
  });
  expect(rest).not.toMatch(/[<>]/);
  expect(open, html).toEqual([]);
}
