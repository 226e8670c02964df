import { cutText, shownText } from './shown-text.ts';
/** The closed lists of what a document's HTML may have. */

const kept =
  'a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ' +
  'ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var wbr';

/** Elements, by the element that is written for them. */
const writtenElements: ReadonlyMap<string, string> = new Map([
  ...kept.split(' ').map((name): [string, string] => [name, name]),
  ...'address article aside center footer header main nav section'
    .split(' ')
    .map((name): [string, string] => [name, 'div']),
  ['strike', 's'],
  ['tt', 'code'],
]);

/** Returns the element that is written for another one; undefined where only its content is written. */
export function writtenElement(name: string, { class: names = '' }: Attributes): string | undefined {
  // docutils writes code in a line so.
  return name === 'span' && /(?:^|\s)literal(?:\s|$)/.test(names) ? 'code' : writtenElements.get(name);
}

export const withoutEnd: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr']);

/** Elements that are left out with all that they hold, which is no text for readers. */
export const emptiedElements: ReadonlySet<string> = new Set(
  'audio canvas iframe math noembed noframes noscript script style svg template textarea title video xmp'.split(' '),
);

/** Further names of HTML, whose tags are left out. What has any other name is no HTML but a text such as `<file>`. */
const otherNames: ReadonlySet<string> = new Set(
  (
    'acronym applet area base basefont bdi bdo big blink body button col colgroup command data datalist dialog dir embed ' +
    'fieldset font form frame frameset head hgroup html input label legend link map marquee menu meta meter nobr object ' +
    'optgroup option output param picture plaintext progress search select slot source time track'
  ).split(' '),
);

export function isHtmlName(name: string): boolean {
  return writtenElements.has(name) || emptiedElements.has(name) || otherNames.has(name);
}

/** Attributes beside links, ids, classes and titles, with the values that they may have. */
const patterns: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  details: { open: /^/ },
  img: { width: /^\d{1,4}%?$/, height: /^\d{1,4}%?$/ },
  ol: { start: /^-?\d{1,9}$/ },
  td: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
  th: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
};
const direction = /^(?:ltr|rtl|auto)$/;
const titleMax = 500;

/** Classes of documents, as the programs write them that render these, by the class that our style sheet has. */
const writtenClasses: ReadonlyMap<string, string> = new Map([
  ...['left', 'center', 'right'].flatMap((side): [string, string][] => [
    [`align-${side}`, `align-${side}`],
    [`halign-${side}`, `align-${side}`],
    [`text-${side}`, `align-${side}`],
  ]),
  ...'alert alert-title alert-note alert-tip alert-important alert-warning alert-caution footnotes task line-block'
    .split(' ')
    .map((name): [string, string] => [name, name]),
  ['admonition', 'alert'],
  ['admonitionblock', 'alert'],
  ['admonition-title', 'alert-title'],
  ...'note tip important warning caution'.split(' ').map((kind): [string, string] => [kind, `alert-${kind}`]),
  ['seealso', 'alert-note'],
  ['hint', 'alert-tip'],
  ['attention', 'alert-warning'],
  ['danger', 'alert-caution'],
  ['error', 'alert-caution'],
  ['title', 'block-title'],
  ['toctitle', 'block-title'],
  ['topic-title', 'block-title'],
  ['sidebar-title', 'block-title'],
]);

export type Attributes = Readonly<Record<string, string>>;

/** Returns the classes of an element, alignment by other attributes included; '' when it has none. */
export function writtenClass({ class: names = '', style = '', align = '' }: Attributes, element: string): string {
  const side = /^\s*text-align\s*:\s*(left|center|right)\s*;?\s*$/.exec(style)?.[1] ?? align.toLowerCase();
  const all = [...names.slice(0, titleMax).split(/\s+/), `align-${element === 'center' ? 'center' : side}`];
  const written = all.flatMap((name) => writtenClasses.get(name) ?? []);
  return [...new Set(written)].join(' ');
}

/** Returns the attributes of an element that need no rule of their own, with their values. */
export function plainAttributes(attributes: Attributes, written: string): [name: string, value: string][] {
  const { title = '', dir = '' } = attributes;
  const found: [string, string][] = [];
  if (title !== '') found.push(['title', shownText(cutText(title, titleMax))]);
  for (const [name, pattern] of Object.entries(patterns[written] ?? {})) {
    const value = attributes[name];
    if (value !== undefined && pattern.test(value)) found.push([name, name === 'open' ? '' : value]);
  }
  if (direction.test(dir)) found.push(['dir', dir]);
  return found;
}
