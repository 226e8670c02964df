import { connect, Events, NatsError, type NatsConnection } from 'nats';
import { isBelowMinimumVersion, minimumVersionText, serverOptions } from './servers.ts';

/** What a user of the bus may be asked to do: subjects, those of a queue group followed by its name. */
export interface BusAttempts {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface BusFacts {
  readonly version: string;
  /** The oldest versions without known vulnerabilities; null for a server that is one of them or newer. */
  readonly versionNeeded: string | null;
  readonly payloadBytesMax: number;
  readonly hasJetStream: boolean;
  /** Those of the attempts that the server has refused, as `publish <subject>` or `subscribe <subject>`. */
  readonly refused: readonly string[];
}

/** The bus cannot be used at all. */
export class BusProbeError extends Error {
  override readonly name = 'BusProbeError';
  readonly isLogin: boolean;

  constructor(cause: unknown) {
    const isLogin = cause instanceof NatsError && /AUTH/.test(cause.code);
    super(isLogin ? 'the server of the bus refuses the user or the password' : 'no server of the bus answers', {
      cause,
    });
    this.isLogin = isLogin;
  }
}

const connectMsMax = 5_000;

/** Makes the attempts, with empty messages; returns those that the server has refused. */
async function attempt(nc: NatsConnection, { publish, subscribe }: BusAttempts): Promise<string[]> {
  const refused = new Set<string>();
  void (async () => {
    for await (const { type, permissionContext } of nc.status()) {
      if (type === Events.Error && permissionContext)
        refused.add(`${permissionContext.operation} ${permissionContext.subject}`);
    }
  })();
  const tried: string[] = [];
  // One at a time, since a refusal does not say which of two subscriptions to a subject it is about.
  const tryOne = async (name: string, refusal: string, act: () => void) => {
    refused.clear();
    act();
    // The server reports a refusal before it answers the ping of this flush.
    await nc.flush();
    await new Promise((resolve) => setImmediate(resolve));
    if (refused.has(refusal)) tried.push(name);
  };
  for (const subject of publish) {
    await tryOne(`publish ${subject}`, `publish ${subject}`, () => nc.publish(subject));
  }
  for (const one of subscribe) {
    const [subject = '', queue] = one.split(' ');
    await tryOne(`subscribe ${one}`, `subscription ${subject}`, () => {
      nc.subscribe(subject, { ...(queue !== undefined && { queue }), callback: () => {} });
    });
  }
  return tried;
}

/** Connects to the bus once, with a time limit, and looks at the server and the rights of the user; throws BusProbeError. */
export async function probeBus(url: string, attempts: BusAttempts): Promise<BusFacts> {
  let nc: NatsConnection;
  try {
    nc = await connect({ ...serverOptions(url), name: 'trunklinectl', reconnect: false, timeout: connectMsMax });
  } catch (error) {
    throw new BusProbeError(error);
  }
  try {
    const version = nc.info?.version ?? '';
    return {
      version,
      versionNeeded: isBelowMinimumVersion(version) ? minimumVersionText : null,
      payloadBytesMax: nc.info?.max_payload ?? 0,
      hasJetStream: nc.info?.jetstream === true,
      refused: await attempt(nc, attempts),
    };
  } catch (error) {
    throw new BusProbeError(error);
  } finally {
    await nc.close();
  }
}
