import { connect, Events, type ConnectionOptions, type Msg, type NatsConnection, type Subscription } from 'nats';

/** A NATS client that is none of Trunkline's programs. */
export interface BusUser {
  readonly nc: NatsConnection;
  /** Runs `act`; returns what NATS denied of it, sorted, as `subscription <subject>` or `publish <subject>`. */
  refusals(act: (nc: NatsConnection) => void): Promise<string[]>;
  /** Subscribes to a subject and waits until the subscription is active; collects every message from then on. */
  listen(subject: string, options?: { queue: string }): Promise<{ messages: Msg[]; subscription: Subscription }>;
  close(): Promise<void>;
}

/** Returns the connection options for a NATS URL with user and password. */
export function credentialsOf(url: string): ConnectionOptions {
  const { host, username, password } = new URL(url);
  return { servers: host, user: username, pass: password };
}

export async function connectBusUser(url: string): Promise<BusUser> {
  const nc = await connect({ ...credentialsOf(url), reconnect: false });
  const refused: string[] = [];
  void (async () => {
    for await (const { type, permissionContext } of nc.status()) {
      if (type === Events.Error && permissionContext)
        refused.push(`${permissionContext.operation} ${permissionContext.subject}`);
    }
  })();
  return {
    nc,
    async refusals(act) {
      refused.length = 0;
      act(nc);
      // The server reports a denial before it answers the PING of this flush.
      await nc.flush();
      await new Promise((resolve) => setImmediate(resolve));
      return refused.toSorted();
    },
    async listen(subject, options = { queue: '' }) {
      const messages: Msg[] = [];
      const subscription = nc.subscribe(subject, {
        ...(options.queue && options),
        callback: (_error, message) => void messages.push(message),
      });
      await nc.flush();
      return { messages, subscription };
    },
    close: () => nc.close(),
  };
}
