// The rest of XML 1.0's characters: no references make the others legal.
// oxlint-disable-next-line no-control-regex
const illegal = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // As it stands it would be read as a line feed.
  '\r': '&#13;',
};

/** Text as it stands in XML or HTML, in content and in quoted attributes; what XML cannot hold is replaced. */
export function escaped(text: string): string {
  return text.replace(illegal, '\ufffd').replace(/[&<>"'\r]/g, (character) => references[character] ?? character);
}

/** One element of XML that holds text. */
export function textElement(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}
