import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { answerWhileWaiting, createProbe } from './health.ts';

const timeoutMs = 60_000;
const nameOf = (error?: unknown) => (error instanceof Error ? `it (${error.message})` : 'it');

it('names nothing when the dependency answers, and the dependency by its error when it fails', async () => {
  expect(await createProbe(async () => 'yes', timeoutMs, nameOf)()).toBeNull();
  expect(await createProbe(() => Promise.reject(new Error('no')), timeoutMs, nameOf)()).toBe('it (no)');
});

it('sends a new request when the last one was answered', async () => {
  const ask = vi.fn(async () => {});
  const probe = createProbe(ask, timeoutMs, nameOf);
  await probe();
  await probe();
  expect(ask).toHaveBeenCalledTimes(2);
});

it('E5 sends only one request to a dependency that does not answer, and notices when it answers again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let answer = () => {};
    const ask = vi.fn(() => new Promise<void>((resolve) => (answer = resolve)));
    const probe = createProbe(ask, timeoutMs, nameOf);
    for (let round = 0; round < 3; round += 1) {
      const found = probe();
      vi.advanceTimersByTime(timeoutMs);
      expect(await found).toBe('it');
    }
    const found = probe();
    answer();
    expect(await found).toBeNull();
    expect(ask).toHaveBeenCalledTimes(1);
    await turn();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('E5 asks again when an answer never comes, and only a few times', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const ask = vi.fn(() => new Promise<void>(() => {}));
    const probe = createProbe(ask, timeoutMs, nameOf);
    const fail = async (times: number) => {
      for (let round = 0; round < times; round += 1) {
        const found = probe();
        vi.advanceTimersByTime(timeoutMs);
        expect(await found).toBe('it');
      }
    };
    await fail(100);
    expect(ask).toHaveBeenCalledTimes(3);

    const answering = vi.fn(ask).mockImplementationOnce(() => new Promise<void>(() => {}));
    answering.mockImplementation(async () => {});
    const recovering = createProbe(answering, timeoutMs, nameOf);
    const first = recovering();
    vi.advanceTimersByTime(timeoutMs);
    await first;
    for (let round = 1; round < 10; round += 1) {
      const found = recovering();
      vi.advanceTimersByTime(timeoutMs);
      expect(await found).toBe('it');
    }
    expect(await recovering()).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it('E5 says in the log and at /readyz what is waited for, and cuts other requests off, until the end', async () => {
  const said: { text: string; port: number }[] = [];
  const warn = (fields: { port: number }, text: string) => void said.push({ text, port: fields.port });
  const logger = { warn, error: () => {} };
  const get = (path: string) => fetch(`http://127.0.0.1:${said[0]?.port}${path}`);
  const readyz = async () => {
    const response = await get('/readyz');
    return [response.status, await response.json()];
  };
  const result = await answerWhileWaiting({ host: '127.0.0.1', port: 0, logger }, async (onWait) => {
    await onWait({ name: 'schema', text: 'waits for the schema' });
    expect(await readyz()).toEqual([503, { missing: ['schema'] }]);
    await onWait({ name: 'schema', text: 'waits for the schema' });
    await onWait({ name: 'database rights', text: 'waits for rights' });
    expect(await readyz()).toEqual([503, { missing: ['database rights'] }]);
    expect((await get('/healthz')).status).toBe(200);
    await expect(get('/')).rejects.toThrow('fetch failed');
    return 'done';
  });
  expect(result).toBe('done');
  expect(said.map(({ text }) => text)).toEqual(['waits for the schema', 'waits for rights']);
  await expect(get('/readyz')).rejects.toThrow('fetch failed');
});

it('opens no port when nothing is waited for, and passes errors on', async () => {
  const logger = { warn: () => {}, error: () => {} };
  const failing = answerWhileWaiting({ host: '203.0.113.1', port: 1, logger }, async () => {
    throw new Error('the database is away');
  });
  await expect(failing).rejects.toThrow('the database is away');
});
