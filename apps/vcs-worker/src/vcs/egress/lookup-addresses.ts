import { lookup } from 'node:dns/promises';
import { Semaphore, SingleFlight } from '@trunkline/runtime/concurrency';
import { EgressError } from './egress-error.ts';

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
