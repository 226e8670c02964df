import type { IncomingMessage } from 'node:http';
import { ClientGoneError } from '../http/read-body.ts';
import type { PushTooLargeError } from './open-push.ts';
import { bodyLimits, openBody } from './request-body.ts';

const versionPattern = /^version=([012])$/;

/** Returns the newest known version of git's protocol that the header `Git-Protocol` names; 0 when it names none. */
export function gitProtocol(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const versions = header.split(':').map((word) => Number(versionPattern.exec(word)?.[1] ?? 0));
  return Math.max(0, ...versions);
}

/** Time for the first line of a push, which says how its client shows a text. */
const lineMsMax = 5_000;
const headBytes = 4;
/** Bytes of the longest line of git's protocol, its length included. */
const lineBytesMax = 65_520;

/** Returns the first line of a push, or what there is of it. */
async function firstLine(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let begun = '';
  for await (const piece of pieces) {
    begun += Buffer.from(piece).toString('latin1');
    if (begun.length < headBytes) continue;
    const length = Number.parseInt(begun.slice(0, headBytes), 16) || 0;
    if (begun.length >= length || begun.length >= lineBytesMax) return begun.slice(0, length);
  }
  return begun;
}

function packet(content: string): string {
  return `${(content.length + headBytes).toString(16).padStart(headBytes, '0')}${content}`;
}

/**
 * Returns an answer that git shows to a push that says that it is too large: of a status of failure, git shows the number
 * alone. Throws the error itself when the client does not begin its push.
 */
export async function largePushAnswer(incoming: IncomingMessage, error: PushTooLargeError): Promise<Buffer> {
  const opened = openBody(incoming, { ...bodyLimits, bytesMax: Number.MAX_SAFE_INTEGER, msMax: lineMsMax });
  try {
    const isBanded = (await firstLine(opened.pieces)).includes(' side-band-64k');
    // The third band has what ends a push.
    return Buffer.from(packet(isBanded ? `\x03${error.message}\n` : `ERR ${error.message}`));
  } catch (cause) {
    throw cause instanceof ClientGoneError ? cause : error;
  } finally {
    opened.end();
  }
}
