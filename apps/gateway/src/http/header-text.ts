declare const safe: unique symbol;
/** Text of printable ASCII: Node.js throws for any other in a status line, and for some other in the value of a header. */
export type HeaderText = string & { readonly [safe]: true };

function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Returns any text as one for a status line or a header; its other characters stand there as they do in URLs. */
export function headerText(text: string): HeaderText {
  return text.replaceAll(/[^\x20-\x7e]+/g, percentEncoded) as HeaderText;
}

/** Returns any text as the value of a parameter of a header, in quotes. */
export function quotedHeaderText(text: string): HeaderText {
  return `"${headerText(text).replaceAll(/["\\]/g, '\\$&')}"` as HeaderText;
}
