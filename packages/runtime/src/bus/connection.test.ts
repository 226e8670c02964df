import { Events, type NatsConnection } from 'nats';
import { expect, it, vi } from 'vitest';
import type { Logger } from '../logger.ts';
import type { BusError } from './bus-error.ts';
import { BusConnection, type ConnectionEvents } from './connection.ts';

/** Creates a connection, on which `happen` has events happen one after the other. */
function setUp(events: Partial<ConnectionEvents> = {}) {
  const error = vi.fn();
  const logger = { error, warn: () => {}, info: () => {} } as unknown as Logger;
  const statuses: { readonly type: Events }[] = [];
  let wake = () => {};
  let close = () => {};
  const nc = {
    async *status() {
      for (;;) {
        const status = statuses.shift();
        if (status) yield status;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    closed: () => new Promise<void>((resolve) => (close = resolve)),
    subscribe: () => ({ isClosed: () => false }),
  } as unknown as NatsConnection;
  const connection = new BusConnection(
    nc,
    { url: '', name: 'test', inboxPrefix: '_INBOX', logger },
    { onServerStopping: () => {}, onReconnect: () => {}, ...events },
  );
  const happen = (type: Events) => {
    statuses.push({ type });
    wake();
  };
  return { connection, error, happen, close: () => close() };
}

function failing(): never {
  throw new Error('of a listener');
}

it('a listener that throws when the connection is lost keeps nobody from being told, and the process running', async () => {
  const { connection, error, happen, close } = setUp({ onReconnect: failing, onServerStopping: failing });
  const lost = vi.fn();
  const failed: BusError[] = [];
  connection.onLost(failing);
  connection.onLost(lost);
  connection.requests.add({ subject: 'a', take: () => {}, fail: failing });
  connection.requests.add({ subject: 'b', take: () => {}, fail: (reason) => failed.push(reason) });
  happen(Events.Disconnect);
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1));
  expect(failed).toMatchObject([{ reason: 'lost' }]);
  happen(Events.Reconnect);
  happen(Events.LDM);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(4));
  expect(connection.isConnected).toBe(true);
  connection.onLost(failing);
  connection.onLost(lost);
  close();
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(2));
  expect(error).toHaveBeenCalledTimes(5);
});
