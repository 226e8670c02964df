import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { encodeRequest, childMessages } from './child-messages.ts';

const message = (kind: string, text: string) => {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
};

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { kind, data } of childMessages(piecesOf(bytes, size))) found.push(`${kind}${data.toString()}`);
  return found;
}

describe('wireMessages', () => {
  const bytes = Buffer.concat([message('p', '12'), message('o', 'x'.repeat(300)), message('z', '')]);

  it.each([1, 2, 5, 7, 100, 10_000])('cuts pieces of %i bytes into messages', async (size) => {
    expect(await read(bytes, size)).toEqual(['p12', `o${'x'.repeat(300)}`, 'z']);
  });

  it('tells of a message that is not complete that its child was killed', async () => {
    await expect(read(bytes.subarray(0, -1), 64)).rejects.toMatchObject({ kind: 'busy' });
  });

  it('D11 throws for a message that is too long', async () => {
    await expect(read(Buffer.from('o\xff\xff\xff\xff', 'latin1'), 64)).rejects.toThrow('4294967295 bytes');
  });
});

it('encodeRequest puts a length before head and arguments, and a length of 0 behind them', async () => {
  const args = async function* () {
    for (const text of ['a=', '', 'bc']) yield Buffer.from(text);
  };
  const bytes = await collectBytes(encodeRequest({ x: 1 }, args()));
  expect(bytes.toString('latin1')).toBe('\0\0\0\x07{"x":1}\0\0\0\x02a=\0\0\0\x02bc\0\0\0\0');
});
