import type { ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { paced, setPace } from './paced.ts';

const discard = () => new Writable({ write: (_piece, _encoding, done) => done() });

it('A11 an error of the pace, or of who counts the bytes, ends the response alone', async () => {
  const fail = () => {
    throw new Error('thrown by the test');
  };
  const outgoing = {} as ServerResponse;
  const send = (countSent?: () => void) =>
    pipeline(Readable.from([Buffer.from('a')]), paced(outgoing, countSent), discard());
  await expect(send(fail)).rejects.toThrow('thrown by the test');
  setPace(outgoing, fail);
  await expect(send()).rejects.toThrow('thrown by the test');
});
