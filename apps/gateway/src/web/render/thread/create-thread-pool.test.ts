import { afterEach, describe, expect, it } from 'vitest';
import { createThreadPool, type ThreadPool, type ThreadPoolOptions } from './create-thread-pool.ts';

const script = (source: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';\n${source}`)}`);

/** Answers with what it has counted, and does as the text says. */
const obedient = script(`
  let count = 0;
  parentPort.on('message', ({ text }) => {
    if (text === 'loop') for (;;);
    if (text === 'throw') throw new Error('thrown');
    if (text === 'exit') process.exit(1);
    if (text === 'fill') for (const all = []; ; ) all.push(new Array(100_000).fill(0.5));
    if (text === 'fail') return parentPort.postMessage({ kind: 'failed' });
    if (text === 'environment') return parentPort.postMessage({ kind: 'done', html: Object.keys(process.env).join() });
    parentPort.postMessage({ kind: 'done', html: text + (count += 1) });
  });
  parentPort.postMessage({ kind: 'ready' });
`);

let pool: ThreadPool | undefined;
afterEach(() => pool?.close());

function run(options: Partial<ThreadPoolOptions> = {}) {
  const made = createThreadPool({
    ...{ file: obedient, threads: 1, taskMsMax: 20_000, waitMsMax: 20_000, waitingMax: 10 },
    ...options,
  });
  pool = made;
  return (text: string) => made.run({ kind: 'highlight', text, fileName: '' });
}

describe('createThreadPool', () => {
  it('does one task after the other on the same thread', async () => {
    const task = run();
    await expect(Promise.all([task('a'), task('b'), task('c')])).resolves.toEqual(['a1', 'b2', 'c3']);
  });

  it.each(['throw', 'exit', 'fill'])('replaces a thread that dies of its task: %s', async (fatal) => {
    const task = run();
    await expect(task('a')).resolves.toBe('a1');
    await expect(Promise.all([task(fatal), task('b')])).resolves.toEqual([undefined, 'b1']);
  });

  it('ends a thread that takes too long and goes on with another', async () => {
    const task = run({ taskMsMax: 200 });
    await expect(task('loop')).resolves.toBeUndefined();
    await expect(task('b')).resolves.toBe('b1');
  });

  it('keeps a thread that says it has failed', async () => {
    const task = run();
    await expect(Promise.all([task('a'), task('fail'), task('b')])).resolves.toEqual(['a1', undefined, 'b2']);
  });

  it('gives up what waits too long behind others', async () => {
    const task = run({ taskMsMax: 2_000, waitMsMax: 100 });
    const looping = task('loop');
    await expect(task('b')).resolves.toBeUndefined();
    await expect(Promise.race([looping, Promise.resolve('still looping')])).resolves.toBe('still looping');
  });

  it('lets only so many wait', async () => {
    const task = run({ waitingMax: 1 });
    const answers = await Promise.all([task('a'), task('b'), task('c')]);
    expect(answers).toEqual(['a1', 'b2', undefined]);
  });

  it('uses a second thread while the first is busy', async () => {
    const task = run({ threads: 2, taskMsMax: 2_000 });
    const looping = task('loop');
    await expect(task('b')).resolves.toBe('b1');
    await expect(Promise.race([looping, Promise.resolve('still looping')])).resolves.toBe('still looping');
  });

  it('answers everybody when it is closed, and nobody later', async () => {
    const task = run();
    await task('a');
    const open = [task('loop'), task('b')];
    await pool?.close();
    await expect(Promise.all([...open, task('c')])).resolves.toEqual([undefined, undefined, undefined]);
  });

  it('gives up when no thread can be started', async () => {
    const task = run({ file: script('throw new Error("no start")') });
    await expect(Promise.all([task('a'), task('b')])).resolves.toEqual([undefined, undefined]);
  });

  it('shows a thread nothing of the environment', async () => {
    await expect(run()('environment')).resolves.toBe('');
  });
});
