function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Returns any text as printable ASCII for a status line or a header; other characters stand there as in URLs. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, percentEncoded);
}

/** Returns any text as the value of a parameter of a header, in quotes. */
export function quotedHeaderText(text: string): string {
  return `"${headerText(text).replaceAll(/["\\]/g, '\\$&')}"`;
}
