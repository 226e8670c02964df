import { expect, it } from 'vitest';
import { answerWhileWaiting } from './answer-while-waiting.ts';

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
