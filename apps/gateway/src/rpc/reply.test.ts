import { NotFoundError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { errorReply, resultReply } from './reply.ts';

describe('resultReply', () => {
  it('A3 copies id and result byte for byte', () => {
    const reply = resultReply('12345678901234567890', Buffer.from('{"a":1.0,"é":"\u2028"}'));
    expect(reply.toString()).toBe('{"id":12345678901234567890,"result":{"a":1.0,"é":"\u2028"},"error":null}');
  });
});

describe('errorReply', () => {
  it('is one line of JSON for any error text', () => {
    const text = 'user `a"\n\ud800\u0000` does not exist';
    const reply = errorReply('"x"', new NotFoundError(text)).toString();
    expect(reply).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(reply)).toEqual({ id: 'x', result: null, error: text });
  });

  it('has the message of an error alone, without its cause and details', () => {
    const error = new NotFoundError('text', { cause: new Error('SECRET'), details: { a: 'SECRET' } });
    expect(errorReply('null', error).toString()).toBe('{"id":null,"result":null,"error":"text"}');
  });
});
