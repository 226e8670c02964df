// Every character outside of XML 1.0's `Char`, which no character reference makes legal.
// oxlint-disable-next-line no-control-regex
const illegal = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // A parser would read a bare carriage return as a line feed.
  '\r': '&#13;',
};

/** Escapes text for content and quoted attributes of XML and HTML; replaces characters that XML excludes. */
export function escaped(text: string): string {
  return text.replace(illegal, '\ufffd').replace(/[&<>"'\r]/g, (character) => references[character] ?? character);
}

/** Returns an XML element that holds text alone. */
export function textElement(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}
