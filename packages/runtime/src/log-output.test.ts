import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogOutput, type LogSink } from './log-output.ts';
import { createLogger } from './logger.ts';

interface Line {
  readonly msg: string;
  readonly lines?: number;
}

/** A sink that takes bytes when the test says so. */
class TestSink implements LogSink {
  writes: string[] = [];
  syncWrites: string[] = [];
  #done: ((error: Error | null, written: number) => void) | null = null;

  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void {
    this.writes.push(bytes.toString());
    this.#done = done;
  }

  writeSync(bytes: Buffer): void {
    this.syncWrites.push(bytes.toString());
  }

  letWritesEnd(): void {}

  /** Ends the write under way. */
  take(bytes = Buffer.byteLength(this.writes.at(-1) ?? '')): void {
    this.#done?.(null, bytes);
  }

  refuse(): void {
    this.#done?.(new Error('ENOSPC'), 0);
  }
}

const read = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
const messages = (text: string | undefined) => read(text ?? '').map(({ msg }) => msg);

let sink: TestSink;
let output: LogOutput;
let logger: ReturnType<typeof createLogger>;

beforeEach(() => {
  vi.useFakeTimers();
  sink = new TestSink();
  output = new LogOutput(sink);
  logger = createLogger({ role: 'test', level: 'info', destination: output });
});
afterEach(() => vi.useRealTimers());

/** Takes all writes until none follows, and returns the lines. */
function takeAll(): Line[] {
  for (let taken = 0; taken < sink.writes.length;) {
    taken = sink.writes.length;
    sink.take();
    vi.advanceTimersByTime(100);
  }
  return read(sink.writes.join(''));
}

describe('LogOutput', () => {
  it('writes lines of calls together, after 100 ms at the latest', () => {
    logger.info('one');
    vi.advanceTimersByTime(99);
    logger.info('two');
    expect(sink.writes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sink.writes.map(messages)).toEqual([['one', 'two']]);
  });

  it('writes 16 kB without waiting', () => {
    logger.info('x'.repeat(16 * 1024));
    expect(sink.writes).toHaveLength(1);
  });

  it.each(['warn', 'error', 'fatal'] as const)('writes %s at once, after the lines before it', (level) => {
    logger.info('before');
    logger[level]('now');
    expect([...sink.writes, ...sink.syncWrites].flatMap(messages)).toEqual(['before', 'now']);
    logger.info('after');
    sink.take();
    expect(sink.writes).toHaveLength(1);
  });

  it('writes a warning right after the write that is under way', () => {
    logger.warn('first');
    logger.info('call');
    logger.warn('second');
    sink.take();
    expect(sink.writes.map(messages)).toEqual([['first'], ['call', 'second']]);
  });

  it('goes on where the output stopped, after errors too', () => {
    logger.warn('text');
    const [whole = ''] = sink.writes;
    sink.take(10);
    sink.refuse();
    vi.advanceTimersByTime(100);
    expect(sink.writes).toEqual([whole, whole.slice(10), whole.slice(10)]);
  });

  it('tries an output that refuses again, more and more rarely', () => {
    logger.warn('text');
    for (let tries = 1; tries <= 20; tries += 1) {
      sink.refuse();
      vi.advanceTimersByTime(100);
      expect(sink.writes).toHaveLength(tries + 1);
    }
    sink.refuse();
    vi.advanceTimersByTime(99);
    expect(sink.writes).toHaveLength(21);
    vi.advanceTimersByTime(1);
    sink.take(1);
    sink.refuse();
    vi.advanceTimersByTime(1);
    expect(sink.writes).toHaveLength(24);
  });

  it('bounds what it holds, and reports once how many lines it dropped', () => {
    logger.warn('stalled');
    for (let number = 1; number <= 3_000; number += 1) logger.info('x'.repeat(1_000));
    const lines = takeAll();
    const report = lines.filter(({ lines: dropped }) => dropped !== undefined);
    expect(report).toHaveLength(1);
    expect(lines.at(-1)).toBe(report[0]);
    expect(lines.length - 2 + (report[0]?.lines ?? 0)).toBe(3_000);
    expect(Buffer.byteLength(sink.writes.join(''))).toBeLessThan(2 ** 20 + 1_000);
    logger.info('afterwards');
    vi.advanceTimersByTime(100);
    expect(messages(sink.writes.at(-1))).toEqual(['afterwards']);
  });

  it('drops a line that is longer than all it may hold, and reports that', () => {
    logger.info('x'.repeat(2 ** 20));
    logger.info('next');
    expect(takeAll()).toMatchObject([{ lines: 1 }, { msg: 'next' }]);
  });

  it('keeps warnings when lines of calls are dropped, but not without a bound', () => {
    logger.warn('stalled');
    for (let number = 1; number <= 2_000; number += 1) logger.info('x'.repeat(1_000));
    for (let number = 1; number <= 100; number += 1) logger.error('y'.repeat(1_000));
    const written = takeAll().map(({ msg }) => msg);
    expect(written.filter((msg) => msg.startsWith('y')).length).toBeGreaterThan(50);
    expect(Buffer.byteLength(sink.writes.join(''))).toBeLessThan(2 ** 20 + 2 ** 16 + 1_000);
  });

  it('flushes before it calls back', async () => {
    const done = vi.fn<() => void>();
    logger.info('text');
    output.flush(done);
    expect(done).not.toHaveBeenCalled();
    sink.take();
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toHaveBeenCalledOnce();
    expect(sink.writes.map(messages)).toEqual([['text']]);
  });

  it('does not wait more than a second for an output that takes nothing', async () => {
    const done = vi.fn<() => void>();
    logger.info('text');
    output.flush(done);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toHaveBeenCalledOnce();
  });

  it('writes synchronously what waits and what was refused, and nothing twice', () => {
    logger.warn('refused');
    sink.refuse();
    logger.info('waiting');
    output.flushSync();
    expect(sink.syncWrites.map(messages)).toEqual([['refused', 'waiting']]);
    vi.advanceTimersByTime(1_000);
    expect(sink.writes).toHaveLength(1);
  });
});
