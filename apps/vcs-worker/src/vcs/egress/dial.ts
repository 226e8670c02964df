import { lookup } from 'node:dns/promises';
import { connect, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { Semaphore, SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';
import { reachesLoopbackHost } from './address-policy.ts';
import { EgressError, type Target } from './target.ts';

export type LookupAddresses = (host: string) => Promise<readonly string[]>;

/**
 * Each look-up holds a thread of Node's pool, of which there are four, until the system's resolver gives up; file
 * access needs the others. A resolver without threads would know neither /etc/hosts nor search domains.
 */
const lookupsMax = 2;
const queueMax = 256;
/** As long as a connection may take: a look-up whose caller has left must not run later. */
const waitMsMax = 10_000;

const systemLookup: LookupAddresses = async (host) => {
  const answers = await lookup(host, { all: true });
  return answers.map((answer) => answer.address);
};

/** Creates a look-up of addresses with a bounded number in progress; calls for one name share a look-up. */
export function createLookupAddresses(ask = systemLookup, timeoutMs = waitMsMax): LookupAddresses {
  const permits = new Semaphore({
    limit: lookupsMax,
    queueMax,
    refuse: () => new EgressError(502, 'remote name does not resolve'),
  });
  const running = new SingleFlight<readonly string[]>();
  return (host) => running.run(host, () => permits.run(() => ask(host), { timeoutMs }));
}

/** The look-up of this process. */
export const lookupAddresses = createLookupAddresses();

export type Dial = (target: Target) => Promise<Socket>;

const nextAddressAfterMs = 2_500;

interface DialOptions {
  readonly isAllowed: (address: string) => boolean;
  readonly lookup: LookupAddresses;
  readonly guardPort: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/**
 * Returns a function that connects to a target. A name is resolved once, and only the addresses of that answer are
 * dialled. Rejects with EgressError 403 unless all of them are allowed, with 502 when the name has none.
 */
export function createDial(options: DialOptions): Dial {
  return async (target) => {
    const addresses =
      isIP(target.host) === 0
        ? await resolveHost(options.lookup, target.host, options.connectTimeoutMs)
        : [target.host];
    // A loopback address on the list must not make a loop. Remotes at other addresses may have the guard's port.
    const isLoop = target.port === options.guardPort && addresses.some(reachesLoopbackHost);
    if (isLoop || !addresses.every(options.isAllowed)) {
      throw new EgressError(403, 'remote address is not allowed');
    }
    const socket = await connectTo(addresses, target, options.connectTimeoutMs);
    socket.setTimeout(options.idleTimeoutMs);
    return socket;
  };
}

async function resolveHost(lookup: LookupAddresses, host: string, timeoutMs: number): Promise<readonly string[]> {
  const addresses = await withTimeout(lookup(host), timeoutMs, () => []);
  if (addresses.length === 0) throw new EgressError(502, 'remote name does not resolve');
  return addresses;
}

function connectTo(addresses: readonly string[], target: Target, timeoutMs: number): Promise<Socket> {
  const lookup: LookupFunction = (_host, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
    );
  };
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: target.host,
      port: target.port,
      lookup,
      // `joinSockets` ends each direction of a tunnel independently.
      allowHalfOpen: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    });
    socket.setTimeout(timeoutMs);
    socket.on('timeout', () => socket.destroy(new Error('remote is silent')));
    socket.on('error', reject);
    socket.once('connect', () => {
      resolve(socket);
    });
  });
}
