import { Parser } from 'htmlparser2';
import {
  emptiedElements,
  isHtmlName,
  plainAttributes,
  withoutEnd,
  writtenClass,
  writtenElement,
  type Attributes,
} from './allowed-html.ts';
import { highlightLines, languageNamed } from './highlight-lines.ts';
import { imageTarget, isAllowedUrl, isElsewhere, linkTarget, nameInAddress, prefixedId } from './link-target.ts';
import { escapeHtml } from './plain-text.ts';
import { htmlMax, type DocumentBase } from './render-task.ts';
import { cutText, shownLines, shownText } from './shown-text.ts';

const depthMax = 100;
const idMax = 200;
const imageNameMax = 100;
/** For every link: not followed by search engines, without `window.opener` and without referrer. */
const linkRelation = 'nofollow noopener noreferrer';

type WrittenAttribute = readonly [name: string, value: string];

function tag(element: string, attributes: readonly WrittenAttribute[]): string {
  return `<${element}${attributes.map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('')}>`;
}

function nothing(): void {}

/** Returns the language that the classes of a code block name, such as `language-js`, or its `lang`. */
function languageIn({ class: names = '', lang = '' }: Attributes): string | undefined {
  const words = [...names.split(/\s+/).map((name) => name.replace(/^language-/, '')), lang];
  return words.find((word) => word !== '' && languageNamed(word) !== undefined);
}

/** Items of lists by the kind that browsers take them for. */
const itemKinds: ReadonlyMap<string, string> = new Map([
  ['li', 'li'],
  ['dd', 'dd'],
  ['dt', 'dd'],
]);
/** Elements in which items of another list may be. */
const listContainers: ReadonlySet<string> = new Set(['ul', 'ol', 'dl', 'table', 'blockquote', 'details']);

/** Writes the HTML of a document anew: nothing of it but text, and what is on the closed lists. */
class SafeWriter {
  html = '';
  isTooLong = false;
  readonly #base: DocumentBase;
  readonly #ids = new Set<string>();
  /** What is to be done at the end of each open element. */
  readonly #ends: (() => void)[] = [];
  /** The names of the written elements that are open. */
  readonly #written: string[] = [];
  #emptied = 0;
  #isInLink = false;
  /** The id of the section whose heading would come next. */
  #section: string | undefined;
  /** The language of the open code block; null outside of code blocks. */
  #language: string | null = null;
  /** The text of the code block so far, once its element `code` is open. */
  #code: string | null = null;

  constructor(base: DocumentBase) {
    this.#base = base;
  }

  /** Begins an element, whose tag is given as it is written. */
  open(name: string, attributes: Attributes, source: string): void {
    const isText = !isHtmlName(name) && this.#emptied === 0;
    if (isText) this.text(source);
    this.#ends.push(isText ? nothing : this.#begin(name, attributes));
  }

  close(): void {
    this.#ends.pop()?.();
  }

  text(text: string): void {
    if (this.#emptied > 0) return;
    if (this.#code === null) this.#write(escapeHtml(shownLines(text)));
    else this.#code += text;
  }

  #write(html: string): void {
    if (this.isTooLong) return;
    this.html += html;
    this.isTooLong = this.html.length > htmlMax;
  }

  #begin(name: string, attributes: Attributes): () => void {
    if (this.#emptied > 0 || emptiedElements.has(name)) {
      this.#emptied += 1;
      return () => (this.#emptied -= 1);
    }
    const element = writtenElement(name, attributes);
    if (element === undefined || this.#code !== null || this.#ends.length >= depthMax) return nothing;
    const section = this.#section;
    this.#section = element === 'div' ? attributes['id'] : undefined;
    if (element === 'a') return this.#beginLink(attributes);
    if (element === 'img') return this.#image(attributes);
    if (element === 'pre') return this.#beginPreformatted(attributes);
    if (element === 'code' && this.#language !== null) return this.#beginCode(attributes);
    if (this.#wouldEndItem(element)) return nothing;
    this.#write(tag(element, [...this.#common(attributes, name), ...plainAttributes(attributes, element)]));
    if (withoutEnd.has(element)) return nothing;
    this.#written.push(element);
    return () => {
      this.#written.pop();
      if (/^h[1-6]$/.test(element)) this.#endHeading(element, attributes['id'] ?? section);
      else this.#write(`</${element}>`);
    };
  }

  /**
   * Returns whether browsers would end the item of a list around this one, and all that is open in it: the ends that are
   * written later would then end what stands around the document.
   */
  #wouldEndItem(element: string): boolean {
    const kind = itemKinds.get(element);
    if (kind === undefined) return false;
    const around = this.#written.findLast((open) => itemKinds.has(open) || listContainers.has(open));
    return around !== undefined && itemKinds.get(around) === kind;
  }

  /** Returns the id of an element, with our prefix, unless another one has it, and the classes. */
  #common(attributes: Attributes, name: string): WrittenAttribute[] {
    const found: WrittenAttribute[] = [];
    const { id = name === 'a' ? (attributes['name'] ?? '') : '' } = attributes;
    if (id !== '' && id.length <= idMax && !this.#ids.has(id)) {
      this.#ids.add(id);
      found.push(['id', prefixedId(id)]);
    }
    const classes = writtenClass(attributes, name);
    return classes === '' ? found : [...found, ['class', classes]];
  }

  /** Links hold no links: only the outer one stays. */
  #beginLink(attributes: Attributes): () => void {
    if (this.#isInLink) return nothing;
    const common = [...this.#common(attributes, 'a'), ...plainAttributes(attributes, 'a')];
    const address = attributes['href']?.trim();
    if (address === undefined || !isAllowedUrl(address)) {
      if (common.length === 0) return nothing;
      this.#write(tag('span', common));
      return () => this.#write('</span>');
    }
    this.#write(tag('a', [['href', linkTarget(address, this.#base)], ['rel', linkRelation], ...common]));
    this.#isInLink = true;
    return () => {
      this.#isInLink = false;
      this.#write('</a>');
    };
  }

  /** Writes an image of the repository; one of another host, which our policy forbids, becomes a link to it. */
  #image(attributes: Attributes): () => void {
    const address = attributes['src']?.trim() ?? '';
    const target = isAllowedUrl(address) ? imageTarget(address, this.#base) : undefined;
    const { alt = '' } = attributes;
    const plain = plainAttributes(attributes, 'img');
    if (target === undefined) this.text(alt);
    else if (isElsewhere(target)) this.#remoteImage(target, alt, plain);
    else {
      const own = [...plain, ...this.#common(attributes, 'img')];
      this.#write(tag('img', [['src', target], ['alt', shownText(alt)], ...own, ['loading', 'lazy']]));
    }
    return nothing;
  }

  #remoteImage(address: string, alternative: string, attributes: readonly WrittenAttribute[]): void {
    const text = alternative.trim() || cutText(nameInAddress(address), imageNameMax);
    const shown = `${tag('span', [['class', 'remote-image']])}${escapeHtml(shownText(text))}</span>`;
    const titles = attributes.filter(([name]) => name === 'title');
    const link = tag('a', [['href', address], ['rel', linkRelation], ...titles]);
    this.#write(this.#isInLink ? shown : `${link}${shown}</a>`);
  }

  #beginPreformatted(attributes: Attributes): () => void {
    const ids = this.#common(attributes, 'pre').filter(([name]) => name === 'id');
    this.#write(tag('pre', [['class', 'code'], ...ids]));
    this.#language = languageIn(attributes) ?? '';
    return () => {
      this.#language = null;
      this.#write('</pre>');
    };
  }

  /** Collects the text of a code block, which is coloured as a whole. */
  #beginCode(attributes: Attributes): () => void {
    const language = languageIn(attributes) ?? this.#language ?? undefined;
    this.#code = '';
    return () => {
      const lines = highlightLines(this.#code ?? '', language);
      this.#code = null;
      this.#write(`<code>${lines.join('\n')}</code>`);
    };
  }

  #endHeading(element: string, id: string | undefined): void {
    if (id !== undefined && id.length <= idMax && !this.#isInLink) {
      const address = `#${encodeURIComponent(prefixedId(id))}`;
      const attributes = [
        ['class', 'anchor'],
        ['href', address],
        ['aria-label', 'Link to this heading'],
      ] as const;
      this.#write(`${tag('a', attributes)}</a>`);
    }
    this.#write(`</${element}>`);
  }
}

/** Returns safe HTML of a document's untrusted HTML; null when it would be too large. */
export function safeHtml(html: string, base: DocumentBase): string | null {
  const writer = new SafeWriter(base);
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes, html.slice(parser.startIndex, parser.endIndex + 1)),
    ontext: (text) => writer.text(text),
    onclosetag(name, isImplied) {
      writer.close();
      if (!isImplied && !isHtmlName(name)) writer.text(`</${name}>`);
    },
  });
  parser.end(html);
  return writer.isTooLong ? null : writer.html;
}
