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

/** Text escaped for XML and HTML content and quoted attributes; characters that XML excludes are replaced. */
export function escaped(text: string): string {
  return text.replace(illegal, '\ufffd').replace(/[&<>"'\r]/g, (character) => references[character] ?? character);
}

/** One element of XML that holds text. */
export function textElement(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}
