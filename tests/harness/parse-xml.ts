import { SaxesParser } from 'saxes';

export interface XmlElement {
  /** The URI, not the prefix; empty without one. */
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  /** What stands directly in it. */
  text: string;
}

/** The root of a document; throws at whatever is not well-formed, unbound prefixes and control characters included. */
export function parseXml(document: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { namespace: '', name: '', attributes: new Map(), children: [], text: '' };
  const open = [root];
  const addText = (text: string) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const values = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    const element: XmlElement = { namespace: uri, name: local, attributes: new Map(values), children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(document).close();
  const [element] = root.children;
  if (element === undefined) throw new Error('no element');
  return element;
}
