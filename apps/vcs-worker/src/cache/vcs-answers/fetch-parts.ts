const headBytes = 4;
const clientLine = /^(?:agent|session-id)=/;
const clientWord = / (?:agent|session-id)=[^ \n]*/g;

/** Removes what a client tells of itself from the line that has its capabilities; null for a line with nothing else. */
function withoutClient(line: Buffer, protocol: number): Buffer | null {
  const text = line.toString('latin1');
  if (protocol === 2) return clientLine.test(text) ? null : line;
  return Buffer.from(text.replaceAll(clientWord, ''), 'latin1');
}

/**
 * Cuts the body of a fetch into parts that are equal for equal requests of different clients: its lines, without those by
 * which clients name themselves and their sessions. A body in another form is one part.
 */
export function fetchParts(body: Buffer, protocol: number): (string | Buffer)[] {
  const parts: (string | Buffer)[] = [];
  // Capabilities are in all lines before the first delimiter in version 2, and in the first line before that.
  let hasCapabilities = true;
  for (let at = 0; at < body.length;) {
    const head = body.toString('latin1', at, at + headBytes);
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
    const end = at + Math.max(length, headBytes);
    if (Number.isNaN(end) || end > body.length) return ['other', body];
    if (length < headBytes) {
      parts.push('special', head);
      hasCapabilities = false;
    } else {
      const line = body.subarray(at + headBytes, end);
      const kept = hasCapabilities ? withoutClient(line, protocol) : line;
      if (kept !== null) parts.push('line', kept);
      if (protocol < 2) hasCapabilities = false;
    }
    at = end;
  }
  return parts;
}
