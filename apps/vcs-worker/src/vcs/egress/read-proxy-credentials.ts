import type { IncomingMessage } from 'node:http';

/** The `user:password` of a Basic Proxy-Authorization header. */
export function readProxyCredentials(request: IncomingMessage): string | null {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/iu.exec(request.headers['proxy-authorization'] ?? '')?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString();
}
