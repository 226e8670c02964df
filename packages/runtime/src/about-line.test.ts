import { expect, it } from 'vitest';
import { aboutLine } from './about-line.ts';
import { LogOutput } from './log-output.ts';
import { createLogger } from './logger.ts';

const secret = 'postgres://user:password@host/database';

/** Returns the lines of errors that a logger has written. */
function logged(write: (logger: ReturnType<typeof createLogger>) => void): string | null {
  const output = new LogOutput({ write: () => {}, writeSync: () => {}, letWritesEnd: () => {} });
  write(createLogger({ role: 'test', level: 'info', destination: output }));
  return output.lastError;
}

it('names the call and the class and code of the last error, and no message', () => {
  const error = Object.assign(new TypeError(`cannot connect to ${secret}`), { code: '42P01', details: { secret } });
  const line = logged((logger) => {
    logger.error({ err: new Error('before') }, 'call');
    const outer = new Error(`query with ${secret}`, { cause: error });
    logger.error({ method: 'get_repo', requestId: 'a-1', url: secret, err: outer }, 'call');
    logger.warn({ err: new Error('no error of the service') }, 'operation failed');
  });
  expect(aboutLine(line ?? '')).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    about: 'call get_repo TypeError 42P01 (a-1)',
  });
});

it('leaves out whatever is no name or code', () => {
  const error = Object.assign(new Error('x'), { code: secret });
  const line = logged((logger) => logger.error({ method: secret, requestId: [secret], err: error }, 'call'));
  expect(aboutLine(line ?? '')?.about).toBe('call Error');
  expect(aboutLine('no JSON')).toBeNull();
});

it('has nothing to say of a process without errors', () => {
  expect(logged((logger) => logger.warn('a warning'))).toBeNull();
});
