import * as v from 'valibot';

const newline = 0x0a;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Binary answer with a head, a JSON value that describes the bytes. */
export class Content<Head> {
  readonly head: Head;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;

  constructor(head: Head, body: Uint8Array | AsyncIterable<Uint8Array>) {
    this.head = head;
    this.body = body;
  }
}

/** Returns the result schema of a method that returns Content; `_head` only gives the type of the head. */
export function contentOf<Head>(_head: v.GenericSchema<unknown, Head>): v.GenericSchema<Content<Head>> {
  return v.custom<Content<Head>>((value) => value instanceof Content);
}

/** Encodes the head as the line of JSON that precedes the bytes. */
export function encodeContentHead(head: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(head)}\n`);
}

/** Splits the head from the bytes received so far; returns null while the head is incomplete. */
export function splitContentHead(bytes: Uint8Array): { readonly head: unknown; readonly rest: Uint8Array } | null {
  const end = bytes.indexOf(newline);
  return end < 0 ? null : { head: JSON.parse(decoder.decode(bytes.subarray(0, end))), rest: bytes.subarray(end + 1) };
}
