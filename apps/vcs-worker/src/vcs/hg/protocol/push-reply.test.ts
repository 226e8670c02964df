import { expect, it } from 'vitest';
import { bundleStart, keepAlivePart, refusalReply, restOfReply } from './push-reply.ts';

const end = Buffer.alloc(4);

it('a part without content is a head behind its length, and no pieces', () => {
  const head = Buffer.from('\x06output\0\0\0\0\0\0', 'latin1');
  expect(keepAlivePart).toEqual(Buffer.concat([Buffer.from([0, 0, 0, head.length]), head, end]));
});

it('a refusal is a part with its text, in whole characters', () => {
  const reply = refusalReply('unbundle', 'ü'.repeat(200));
  expect(reply.subarray(0, 8)).toEqual(bundleStart);
  expect(reply.subarray(-8)).toEqual(Buffer.alloc(8));
  expect(reply.toString()).toMatch(/ERROR:ABORT.*message(ü{127})\0{8}$/s);
  expect(refusalReply('pushkey', 'no').toString()).toBe('0\nno\n');
});

it('the rest of an answer follows what was sent of it', () => {
  const reply = Buffer.concat([bundleStart, keepAlivePart, end]);
  expect(restOfReply(reply)).toEqual(Buffer.concat([keepAlivePart, end]));
  expect(restOfReply(Buffer.from('malformed\n'))).toEqual(refusalReply('unbundle', 'malformed').subarray(8));
});
