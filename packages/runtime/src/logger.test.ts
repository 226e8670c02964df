import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aboutLine, createLogger, takeOverConsole } from './logger.ts';
import { LogOutput } from './log-output.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level = 'info') {
  const lines: string[] = [];
  const logger = createLogger({ role: 'test', level, destination: { write: (line) => void lines.push(line) } });
  write(logger);
  return lines;
}

function events(write: Parameters<typeof logged>[0]): readonly Record<string, unknown>[] {
  return logged(write).map((line): Record<string, unknown> => JSON.parse(line));
}

describe('createLogger', () => {
  it('writes role, process id and time with each event', () => {
    const [event] = events((logger) => logger.info('text'));
    expect(event).toMatchObject({ role: 'test', pid: process.pid, msg: 'text' });
    expect(event?.['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('E9 writes one line of JSON for each event, whatever a value contains', () => {
    const hostile = 'x\n{"level":60,"msg":"forged"}\r\u001b[2J\u2028"';
    const lines = logged((logger) => {
      logger.info({ name: hostile, [hostile]: 1 }, hostile);
      logger.error({ err: new Error(hostile) }, 'failed');
    });
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/\p{Cc}/u);
      expect(JSON.parse(line)).toMatchObject({ role: 'test' });
    }
  });

  it('E9 neither loses nor adds events', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const seen = events((logger) => texts.forEach((text) => logger.info({ text }, 'event')));
        expect(seen.map((event) => event['msg'])).toEqual(texts.map(() => 'event'));
      }),
      { numRuns: 25 },
    );
  });

  it.each(['api_key', 'auth_token', 'password', 'clone_uri', 'authorization', 'cookie'])(
    'E9 redacts %s, at the top and up to two levels down',
    (name) => {
      const secret = { [name]: 'SECRET' };
      const lines = logged((logger) => {
        logger.info(secret);
        logger.info({ args: secret });
        logger.info({ request: { args: secret } });
        logger.error({ err: Object.assign(new Error('x'), { details: secret }) });
      });
      expect(lines).toHaveLength(4);
      for (const line of lines) {
        expect(line).not.toContain('SECRET');
        expect(line).toContain('[redacted]');
      }
    },
  );

  it('writes errors with their causes, but without the parameters of queries', () => {
    const cause = Object.assign(new Error('select $1\nparams: SECRET,2'), { code: '23505', params: ['SECRET'] });
    const lines = logged((logger) => logger.error({ err: new Error('outer', { cause }) }));
    expect(lines[0]).not.toContain('SECRET');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { message: 'outer', cause: { message: 'select $1', code: '23505' } },
    });
  });

  it('E9 writes an error in `reason` as its message, without parameters of several lines', () => {
    const reason = new Error('insert $1\nparams: one\nSECRET');
    const lines = logged((logger) => logger.warn({ reason, err: reason }, 'failed'));
    expect(lines[0]).not.toContain('SECRET');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      reason: 'insert $1',
      err: { stack: expect.stringMatching(/ at /) },
    });
  });

  it('E9 leaves out a parameter with a line that looks like a stack frame', () => {
    const reason = new Error('insert $1\nparams: one\n    at two,SECRET');
    const moved = Object.assign(new Error('before'), { message: reason.message, stack: reason.stack });
    for (const err of [reason, moved]) {
      const lines = logged((logger) => logger.warn({ reason: err, err }, 'failed'));
      expect(lines[0]).not.toContain('SECRET');
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ reason: 'insert $1', err: { message: 'insert $1' } });
      expect(lines[0]).toContain('logger.test.ts');
    }
  });

  it('writes nothing below its level', () => {
    expect(logged((logger) => logger.info('x'), 'warn')).toEqual([]);
  });
});

it('E9 what libraries write to the console are lines of the log', () => {
  const former = { ...console };
  onTestFinished(() => void Object.assign(console, former));
  const found = events((logger) => {
    takeOverConsole(logger);
    console.error(new Error('thrown by the test'));
    console.warn('%s is\n%d', 'this', 7);
    console.error('x'.repeat(100_000));
    // Of the level `debug`.
    console.info('The user aborted a request.');
  });
  Object.assign(console, former);
  expect(found).toMatchObject([
    { level: 50, err: { message: 'thrown by the test' } },
    { level: 40, said: 'this is\n7' },
    { level: 50, said: 'x'.repeat(1_000) },
  ]);
});

const secret = 'postgres://user:password@host/database';

/** Returns the lines of errors that a logger has written. */
function lastAbout(write: (logger: ReturnType<typeof createLogger>) => void): string | null {
  const output = new LogOutput({ write: () => {}, writeSync: () => {}, letWritesEnd: () => {} });
  write(createLogger({ role: 'test', level: 'info', destination: output }));
  return output.lastError;
}

it('names the call and the class and code of the last error, and no message', () => {
  const error = Object.assign(new TypeError(`cannot connect to ${secret}`), { code: '42P01', details: { secret } });
  const line = lastAbout((logger) => {
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
  const line = lastAbout((logger) => logger.error({ method: secret, requestId: [secret], err: error }, 'call'));
  expect(aboutLine(line ?? '')?.about).toBe('call Error');
  expect(aboutLine('no JSON')).toBeNull();
});

it('has nothing to say of a process without errors', () => {
  expect(lastAbout((logger) => logger.warn('a warning'))).toBeNull();
});
