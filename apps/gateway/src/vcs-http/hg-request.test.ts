import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hgCaps, hgPushArgs, openHgArgs } from './hg-request.ts';

function requestOf(url: string, headers: Readonly<Record<string, string>>, body: string | null = null) {
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming, { url, method: 'POST' });
  Object.assign(incoming.headers, headers);
  if (body !== null) incoming.push(body);
  incoming.push(null);
  incoming.complete = true;
  return incoming;
}

async function argsOf(url: string, headers: Readonly<Record<string, string>>, body: string | null = null) {
  const opened = openHgArgs(requestOf(url, headers, body));
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of opened.pieces) pieces.push(piece);
  } finally {
    opened.end();
  }
  return Buffer.concat(pieces).toString('latin1');
}

describe('openHgArgs', () => {
  it('joins the headers in the order of their numbers, up to a gap, and adds the query without the command', async () => {
    const headers = { 'x-hgarg-2': '=b', 'x-hgarg-1': 'a', 'x-hgarg-10': 'z', 'x-hgarg-4': 'y' };
    expect(await argsOf('/r?cmd=known', headers)).toBe('a=b');
    expect(await argsOf('/r?x=1&cmd=known&cmdx=2&cmd', headers)).toBe('a=b&x=1&cmdx=2');
    expect(await argsOf('/r', {})).toBe('');
  });

  it('takes a body of the announced length', async () => {
    expect(await argsOf('/r?cmd=known&x=1', { 'x-hgargs-post': '3' }, 'a=b')).toBe('a=b&x=1');
    expect(await argsOf('/r?cmd=known', { 'x-hgargs-post': '0', 'x-hgarg-1': 'c' }, 'a=b')).toBe('c');
    for (const length of ['2', '4', '1000']) {
      const args = argsOf('/r?cmd=known', { 'x-hgargs-post': length }, 'a=b');
      await expect(args).rejects.toThrow('X-HgArgs-Post must be the length of the body');
    }
  });

  it.each(['', '-1', '1.5', '0x10', '9999999999'])('A4 refuses the length %j', (length) => {
    expect(() => openHgArgs(requestOf('/r?cmd=known', { 'x-hgargs-post': length }))).toThrow(
      'X-HgArgs-Post must be a number of bytes',
    );
  });

  it('A4 refuses a body by its length before reading', () => {
    const headers = { 'x-hgargs-post': '8388609', 'content-length': '8388609' };
    expect(() => openHgArgs(requestOf('/r?cmd=known', headers))).toThrow('limit 8388608 bytes');
  });
});

describe('hgCaps', () => {
  it('joins the headers, and refuses what is no list of words', () => {
    expect(hgCaps({})).toBe('');
    expect(hgCaps({ 'x-hgproto-1': '0.1 0.2 ', 'x-hgproto-2': 'comp=zstd' })).toBe('0.1 0.2 comp=zstd');
    for (const value of ['ü', 'x'.repeat(1_025)]) expect(() => hgCaps({ 'x-hgproto-1': value })).toThrow('X-HgProto');
  });
});

describe('hgPushArgs', () => {
  it('takes the arguments of headers and the query, and counts those at the beginning of the body', () => {
    const headers = { 'x-hgarg-1': 'heads=', 'x-hgarg-2': 'x', 'x-hgargs-post': '12' };
    const beside = hgPushArgs(requestOf('/r?cmd=unbundle&y=1', headers));
    expect(beside).toEqual({ args: 'heads=x&y=1', argsBytes: 12 });
    expect(hgPushArgs(requestOf('/r?cmd=unbundle', {}))).toEqual({ args: '', argsBytes: 0 });
  });

  it.each([
    ['X-HgArgs-Post must be a number of bytes', { 'x-hgargs-post': '-1' }],
    ['Arguments must be ASCII of at most 65536 bytes', { 'x-hgargs-post': '65537' }],
    ['Arguments must be ASCII of at most 65536 bytes', { 'x-hgarg-1': 'x'.repeat(65_000), 'x-hgargs-post': '600' }],
    ['Arguments must be ASCII of at most 65536 bytes', { 'x-hgarg-1': 'heads=\u00fc' }],
  ])('refuses others: %s', (text, headers) => {
    expect(() => hgPushArgs(requestOf('/r?cmd=unbundle', headers))).toThrow(text);
  });
});
