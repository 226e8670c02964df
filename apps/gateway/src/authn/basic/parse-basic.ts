/** Name and password that a client has sent. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

const headerPattern = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the header `Authorization` (RFC 7617). Returns null for a header that is absent or of another kind; credentials
 * that nobody has stand for malformed ones.
 */
export function parseBasic(header: string | undefined): BasicCredentials | null {
  const [, encoded] = headerPattern.exec(header ?? '') ?? [];
  if (encoded === undefined) return null;
  try {
    const text = decoder.decode(Buffer.from(encoded, 'base64'));
    const colon = text.indexOf(':');
    if (colon >= 0) return { username: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    // It is not UTF-8, as a password is that was set here.
  }
  return { username: '', password: '' };
}
