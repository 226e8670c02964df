import { afterEach, describe, expect, it } from 'vitest';
import { createThreadPool, type ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

const script = (source: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';\n${source}`)}`);

/** A thread that returns the text with the number of its tasks so far, or fails in the way that the text names. */
const scriptedThread = script(`
  let count = 0;
  parentPort.on('message', ({ text }) => {
    if (text === 'loop') for (;;);
    if (text === 'throw') throw new Error('thrown');
    if (text === 'exit') process.exit(1);
    if (text === 'fill') for (const all = []; ; ) all.push(new Array(100_000).fill(0.5));
    if (text === 'fail') return parentPort.postMessage({ kind: 'failed' });
    if (text === 'environment') return parentPort.postMessage({ kind: 'done', result: Object.keys(process.env).join() });
    parentPort.postMessage({ kind: 'done', result: text + (count += 1) });
  });
  parentPort.postMessage({ kind: 'ready' });
`);

class NoThreadError extends Error {}

let pool: ThreadPool<{ readonly text: string }, string> | undefined;
afterEach(() => pool?.close());

function run(options: Partial<ThreadPoolOptions> = {}) {
  const made = createThreadPool<{ readonly text: string }, string>({
    ...{ file: scriptedThread, threads: 1, taskMsMax: 20_000, waitMsMax: 20_000, waitingMax: 10, isShared: true },
    refuse: (reason) => new NoThreadError(reason),
    ...options,
  });
  pool = made;
  return (text: string, caller = text) => made.run({ text }, caller);
}

describe('createThreadPool', () => {
  it('runs one task after the other on the same thread', async () => {
    const task = run();
    await expect(Promise.all([task('a'), task('b'), task('c')])).resolves.toEqual(['a1', 'b2', 'c3']);
  });

  it.each(['throw', 'exit', 'fill'])('replaces a thread that a task ends: %s', async (fatal) => {
    const task = run();
    await expect(task('a')).resolves.toBe('a1');
    await expect(Promise.all([task(fatal), task('b')])).resolves.toEqual([undefined, 'b1']);
  });

  it('ends a thread at the time limit of its task and starts another for the next task', async () => {
    const task = run({ taskMsMax: 200 });
    await expect(task('loop')).resolves.toBeUndefined();
    await expect(task('b')).resolves.toBe('b1');
  });

  it('keeps a thread that reports a failed task', async () => {
    const task = run();
    await expect(Promise.all([task('a'), task('fail'), task('b')])).resolves.toEqual(['a1', undefined, 'b2']);
  });

  it('gives up a task that waits too long for a thread', async () => {
    const task = run({ taskMsMax: 2_000, waitMsMax: 100 });
    const looping = task('loop');
    await expect(task('b')).rejects.toThrow(NoThreadError);
    await expect(Promise.race([looping, Promise.resolve('still looping')])).resolves.toBe('still looping');
  });

  it('gives up a task when waitingMax others are waiting', async () => {
    const task = run({ waitingMax: 1 });
    const answers = [task('a'), task('b'), task('c')];
    await expect(answers[2]).rejects.toThrow(NoThreadError);
    expect(await Promise.all(answers.slice(0, 2))).toEqual(['a1', 'b2']);
  });

  it('uses a second thread while the first is busy', async () => {
    const task = run({ threads: 2, taskMsMax: 2_000 });
    const looping = task('loop');
    await expect(task('b')).resolves.toBe('b1');
    await expect(Promise.race([looping, Promise.resolve('still looping')])).resolves.toBe('still looping');
  });

  it('ends open tasks and refuses waiting and later ones when it is closed', async () => {
    const task = run();
    await task('a');
    const open = Promise.allSettled([task('loop'), task('b')]);
    await pool?.close();
    const refused = { status: 'rejected', reason: expect.any(NoThreadError) };
    expect(await open).toEqual([{ status: 'fulfilled', value: undefined }, refused]);
    await expect(task('c')).rejects.toThrow(NoThreadError);
  });

  it('E6 keeps a thread, and half of the queue, for other callers', async () => {
    const task = run({ threads: 2, waitingMax: 2 });
    const greedy = Promise.allSettled([task('loop', 'greedy'), task('b', 'greedy')]);
    await expect(task('c', 'greedy')).rejects.toThrow(NoThreadError);
    await expect(task('d', 'modest')).resolves.toBe('d1');
    await pool?.close();
    await greedy;
  });

  it('resolves tasks to undefined when no thread can be started', async () => {
    const task = run({ file: script('throw new Error("no start")') });
    await expect(Promise.all([task('a'), task('b')])).resolves.toEqual([undefined, undefined]);
  });

  it('passes a thread no environment variables', async () => {
    await expect(run()('environment')).resolves.toBe('');
  });
});
