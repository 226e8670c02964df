import { connect, Events, type ConnectionOptions, type Msg, type NatsConnection, type Subscription } from 'nats';

/** A client of the bus that is no program of ours. */
export interface BusUser {
  readonly nc: NatsConnection;
  /** What the server refuses of what is done here, as `subscription <subject>` or `publish <subject>`. */
  refusals(act: (nc: NatsConnection) => void): Promise<string[]>;
  /** Collects every message from now on, and waits until the subscription is active. */
  listen(subject: string, options?: { queue: string }): Promise<{ heard: Msg[]; subscription: Subscription }>;
  close(): Promise<void>;
}

/** Who the user and password of such a URL make one. */
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
      // What the server refuses it says before it answers this.
      await nc.flush();
      await new Promise((resolve) => setImmediate(resolve));
      return refused.toSorted();
    },
    async listen(subject, options = { queue: '' }) {
      const heard: Msg[] = [];
      const subscription = nc.subscribe(subject, {
        ...(options.queue && options),
        callback: (_error, message) => void heard.push(message),
      });
      await nc.flush();
      return { heard, subscription };
    },
    close: () => nc.close(),
  };
}
