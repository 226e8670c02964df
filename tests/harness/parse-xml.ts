import { SaxesParser } from 'saxes';

export interface XmlElement {
  /** URI of the namespace, not its prefix; empty without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  /** Text directly in the element, without the text of its children. */
  text: string;
}

/** Returns the root of a document; throws on malformed XML, unbound prefixes and control characters included. */
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
