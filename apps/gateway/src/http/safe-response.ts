import { ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';

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

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

function safeValue<Value extends number | string | readonly string[] | undefined>(value: Value) {
  if (typeof value === 'string') return headerText(value);
  return typeof value === 'object' ? value.map(headerText) : value;
}

function safeHeaders(headers: Headers): Headers {
  if (Array.isArray(headers)) return headers.map((value) => safeValue(value) ?? '');
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, safeValue(value)]));
}

/**
 * A response whose status line and headers are printable ASCII, whoever writes them. Node.js throws for many other
 * characters, which names and messages have, and clients read the rest in different ways.
 */
export class SafeResponse extends ServerResponse {
  override setHeader(name: string, value: number | string | readonly string[]): this {
    return super.setHeader(name, safeValue(value) ?? '');
  }

  override writeHead(status: number, reasonOrHeaders?: string | Headers, headers?: Headers): this {
    if (typeof reasonOrHeaders !== 'string') {
      return super.writeHead(status, reasonOrHeaders && safeHeaders(reasonOrHeaders));
    }
    return super.writeHead(status, headerText(reasonOrHeaders), headers && safeHeaders(headers));
  }
}
