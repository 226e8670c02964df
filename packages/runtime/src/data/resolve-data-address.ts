import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { addressMatcher } from '../networks.ts';
import { DataError } from './data-protocol.ts';

/** The socket address of a data port. */
export interface DataTarget {
  readonly isTls: boolean;
  readonly address: string;
  readonly port: number;
  /** Host and port as announced. */
  readonly authority: string;
  /** The host's name, for the certificate; null when an address was announced. */
  readonly name: string | null;
}

type LookUp = (name: string) => Promise<readonly string[]>;

async function lookUpAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}

/**
 * Creates a function that finds the socket address of an announced URL: an address within the networks. The name of a
 * host is looked up once for each transfer, and the connection goes to the first of its addresses within the networks.
 */
export function dataAddressResolver(
  networks: readonly string[],
  lookUp: LookUp = lookUpAll,
): (url: string) => Promise<DataTarget> {
  const isWithin = addressMatcher(networks);
  const lookUps = new SingleFlight<readonly string[]>();
  return async (url) => {
    const { protocol, hostname, port, host } = new URL(url);
    const isTls = protocol === 'https:';
    const name = hostname.replace(/^\[(.*)\]$/, '$1');
    const found =
      isIP(name) > 0
        ? [name]
        : await lookUps
            .run(name, () => lookUp(name))
            .catch((error: unknown) => {
              throw new DataError('unknown-host', error);
            });
    const address = found.find(isWithin);
    if (address === undefined) throw new DataError('address-refused');
    const portDefault = isTls ? 443 : 80;
    const target = { isTls, address, port: Number(port) || portDefault, authority: host };
    return { ...target, name: isIP(name) > 0 ? null : name };
  };
}
