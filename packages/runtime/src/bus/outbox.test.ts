import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

/** A connection that remembers what was published; the NATS client refuses messages to `refused`. */
function setUp() {
  const published: string[] = [];
  const publish = (subject: string) => {
    if (subject === 'refused') throw new Error('too large');
    published.push(subject);
  };
  const connection = { nc: { publish }, isConnected: true };
  const noted: unknown[] = [];
  return { connection, published, noted, outbox: new Outbox(connection, (error) => noted.push(error)) };
}

it('sends the messages of one turn together, in their order', async () => {
  const { outbox, published } = setUp();
  outbox.publish({ subject: 'a' });
  await Promise.resolve();
  outbox.publish({ subject: 'b' });
  expect(published).toEqual([]);
  await setImmediate();
  expect(published).toEqual(['a', 'b']);
  outbox.publish({ subject: 'c' });
  await setImmediate();
  expect(published).toEqual(['a', 'b', 'c']);
});

it('sends at once what is to be flushed, and nothing twice', async () => {
  const { outbox, published } = setUp();
  outbox.publish({ subject: 'a' });
  outbox.flush();
  expect(published).toEqual(['a']);
  await setImmediate();
  expect(published).toEqual(['a']);
});

it('tells the sender of a message that the client refuses, and sends the others', async () => {
  const { outbox, published } = setUp();
  const errors: unknown[] = [];
  outbox.publish({ subject: 'refused', onError: (error) => errors.push(error) });
  outbox.publish({ subject: 'b' });
  await setImmediate();
  expect(errors).toEqual([new Error('too large')]);
  expect(published).toEqual(['b']);
});

it('sends the others also when the sender of a refused message fails', async () => {
  const { outbox, published, noted } = setUp();
  const failure = new Error('the sender failed');
  const onError = () => {
    throw failure;
  };
  outbox.publish({ subject: 'refused', onError });
  outbox.publish({ subject: 'b' });
  await setImmediate();
  expect(published).toEqual(['b']);
  expect(noted).toEqual([failure]);
});

it('drops requests, but no replies, when the connection is lost first', async () => {
  const { connection, outbox, published } = setUp();
  outbox.publish({ subject: 'request' });
  outbox.publish({ subject: 'reply', outlivesLoss: true });
  connection.isConnected = false;
  await setImmediate();
  expect(published).toEqual(['reply']);
});
