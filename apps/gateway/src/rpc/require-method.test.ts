import { MethodNotFoundError, methods } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { requireMethod } from './require-method.ts';

describe('requireMethod', () => {
  it('finds a method by its own name and by an earlier one', () => {
    expect(requireMethod('get_ip')).toBe(methods.get_ip);
    expect(requireMethod('show_ip')).toBe(methods.get_ip);
  });

  it.each([
    ['nothing', 'No such method: nothing'],
    ['', 'No such method: '],
    ['GET_IP', 'No such method: GET_IP'],
    ['constructor', 'No such method: constructor'],
    ['__proto__', 'Method not allowed'],
    ['_get_ip', 'Method not allowed'],
    [5, 'No such method: 5'],
    [null, 'No such method: null'],
    [['get_ip'], 'No such method: ["get_ip"]'],
    [{ a: true }, 'No such method: {"a":true}'],
  ])('A6 refuses %j', (method, text) => {
    expect(() => requireMethod(method)).toThrow(new MethodNotFoundError(text));
  });
});
