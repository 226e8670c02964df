import { once } from 'node:events';
import { parseServers } from '@trunkline/runtime';
import { checkDates } from './check-dates.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { Machine } from './machine.ts';
import { peerOf, withServer, type Address, type Peer } from './tls-server.ts';

const findings = findingsOf('bus');

/** Returns the certificate of a server of the bus, which offers TLS after its first line. */
function readPeer(address: Address): Promise<Peer> {
  return withServer(address, async (socket) => {
    await once(socket, 'data');
    return peerOf(socket, address.host, null);
  });
}

async function checkServer(address: Address, machine: Machine): Promise<readonly Finding[]> {
  const what = `The certificate of nats-server at ${address.host}:${address.port}`;
  const peer = await readPeer(address).catch(() => null);
  // Whether the bus can be used at all is another check.
  if (!peer) return [];
  const renew = 'Renew it, and have nats-server read it (`nats-server --signal reload`).';
  const dates = checkDates(findings, what, peer.certificate, renew, machine);
  if (peer.problem === null || dates.level === 'failure') return [dates];
  const todo = 'Have it issued for this host by an issuer that Node.js trusts (NODE_EXTRA_CA_CERTS names others).';
  return [dates, findings.failure(`${what} is refused: ${peer.problem}.`, todo)];
}

/** Checks the certificates of the servers of the bus, where TLS is set. */
export async function checkBusCertificates(url: string, machine: Machine): Promise<readonly Finding[]> {
  const { addresses, needsTls } = parseServers(url);
  if (!needsTls) return [];
  return (await Promise.all(addresses.map((address) => checkServer(address, machine)))).flat();
}
