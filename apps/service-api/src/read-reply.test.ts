import { describe, expect, it } from 'vitest';
import { readReply } from './read-reply.ts';

describe('readReply', () => {
  it('reads results and errors', () => {
    expect(readReply('{"id":7,"result":[1],"error":null}', 7)).toEqual({ result: [1], error: null });
    expect(readReply('{"id":7,"result":null,"error":"no"}\n', 7)).toEqual({ result: null, error: 'no' });
  });

  it('accepts an error with the id null, as for a body that could not be read', () => {
    expect(readReply('{"id":null,"result":null,"error":"too large"}', 7)).toMatchObject({ error: 'too large' });
  });

  it.each([
    ['', 'nothing'],
    ['<html>', 'a page'],
    ['null', 'null'],
    ['[]', 'a list'],
    ['"text"', 'a string'],
    ['{"id":7,"result":1}', 'no error member'],
    ['{"id":7,"error":null}', 'no result member'],
    ['{"result":1,"error":null}', 'no id'],
    ['{"id":7,"result":null,"error":{"code":1}}', 'an error that is no text'],
    ['{"id":8,"result":1,"error":null}', 'the reply to another call'],
    ['{"id":"7","result":1,"error":null}', 'an id of another type'],
    ['{"id":null,"result":1,"error":null}', 'a result without an id'],
  ])('returns undefined for %s (%s)', (text) => {
    expect(readReply(text, 7)).toBeUndefined();
  });
});
