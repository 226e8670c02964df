import { BusyError, ConflictError, InternalError, OutcomeUnknownError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { rerenderOnError, type Refusal } from './form-route.ts';

const failing = (error: Error) => () => Promise.reject(error);
const again = async ({ message, status }: Refusal) => new Response(message, { status });

describe('orRefusal', () => {
  it('returns the result of the form’s action', async () => {
    const done = new Response('done');
    expect(await rerenderOnError(async () => done, again)).toBe(done);
  });

  it('shows the page again with the error', async () => {
    const response = await rerenderOnError(failing(new ConflictError('taken')), again);
    expect([response.status, await response.text()]).toEqual([409, 'taken']);
  });

  it.each([new BusyError(), OutcomeUnknownError.of('1'), new InternalError()])('passes on %s', async (error) => {
    await expect(rerenderOnError(failing(error), again)).rejects.toBe(error);
  });

  it('shows no detail of an unexpected error', async () => {
    await expect(rerenderOnError(failing(new Error('secret')), again)).rejects.toThrow('Internal server error');
  });
});
