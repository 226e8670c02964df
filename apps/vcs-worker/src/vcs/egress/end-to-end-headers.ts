import type { IncomingMessage } from 'node:http';

const HOP_BY_HOP = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Returns the raw headers of a message without hop-by-hop and Proxy-* headers; `alsoDropped` has lower-case names. */
export function endToEndHeaders(message: IncomingMessage, alsoDropped: readonly string[] = []): string[] {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...named, ...alsoDropped]);
  const kept: string[] = [];
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = message.rawHeaders.slice(i, i + 2);
    const key = name.toLowerCase();
    if (!dropped.has(key) && !key.startsWith('proxy-')) kept.push(name, value);
  }
  return kept;
}
