import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { type BusFacts, BusProbeError, parseServers, probeBus } from '@trunkline/runtime';
import { gatewayInboxes, sizeText, subjects, workerInboxes, workerQueueGroup } from '@trunkline/contracts';
import { type Address, checkDates, type Peer, peerOf, withServer } from './tls-server.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';
import type { DoctorSettings } from '../config.ts';

const findings = findingsOf('bus');

/** Returns the certificate of a server of the bus, which offers TLS after its first line. */
function readPeer(address: Address): Promise<Peer> {
  return withServer(address, async (socket) => {
    await once(socket, 'data');
    return peerOf(socket, address.host, null);
  });
}

async function checkCertificate(address: Address, machine: Machine): Promise<readonly Finding[]> {
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
  return (await Promise.all(addresses.map((address) => checkCertificate(address, machine)))).flat();
}

const { ok, warning, failure } = findingsOf('bus');

/** `max_payload` of the configuration that comes with Trunkline. */
const payloadBytesNeeded = 8 * 1024 * 1024;
/** Name of a storage that no worker serves, so that nobody gets what the checks send. */
const nowhere = 'no-storage-of-this-name';

interface Tried {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Some subjects of each tier, where a message or a subscription for a moment changes nothing. */
function attemptsOf(id: string): Readonly<Record<'gateway' | 'worker', Tried>> {
  const call = subjects.rpc('storage', nowhere, 'test');
  return {
    gateway: {
      publish: [call, subjects.direct(id, 'test'), subjects.ping('storage', nowhere), subjects.stream(id)],
      subscribe: [`${gatewayInboxes}.${id}`, subjects.stateAnswer, subjects.callersChanged, subjects.operationEnded],
    },
    worker: {
      publish: [`${gatewayInboxes}.${id}`, `${workerInboxes}.${id}`, subjects.copy(nowhere), subjects.stateAnswer],
      subscribe: [
        `${call} ${workerQueueGroup}`,
        `${workerInboxes}.${id}`,
        subjects.ping('storage', nowhere),
        subjects.callCancelled,
        subjects.operationReleased,
      ],
    },
  };
}

function refusalsOf({ refused }: BusFacts, { publish, subscribe }: Tried): readonly string[] {
  const tried = [...publish.map((one) => `publish ${one}`), ...subscribe.map((one) => `subscribe ${one}`)];
  return tried.filter((one) => refused.includes(one));
}

function checkRights(
  facts: BusFacts,
  attempts: ReturnType<typeof attemptsOf>,
  eavesdropping: string,
): readonly Finding[] {
  const lacking = { gateway: refusalsOf(facts, attempts.gateway), worker: refusalsOf(facts, attempts.worker) };
  const users = (['gateway', 'worker'] as const).filter((tier) => lacking[tier].length === 0);
  if (users.length === 0) {
    const [lacked = []] = [lacking.gateway, lacking.worker].toSorted((one, other) => one.length - other.length);
    const [verb, subject] = lacked[0]?.split(' ') ?? [];
    const todo = 'Give nats-server the permissions.conf of this release, and reload it (docs/running/bus.md).';
    return [failure(`The user of TRUNKLINE_NATS_URL may not ${verb} ${subject}.`, todo)];
  }
  if (!facts.refused.includes(`subscribe ${eavesdropping}`)) {
    const todo = 'Use the users of infra/nats/permissions.conf, one for gateways and one for workers.';
    return [warning('The user of TRUNKLINE_NATS_URL may do more than gateways or workers need.', todo)];
  }
  return [ok(`The user of TRUNKLINE_NATS_URL may do what a ${users.join(' or a ')} needs.`)];
}

function checkServer({ version, versionNeeded, payloadBytesMax, hasJetStream }: BusFacts): readonly Finding[] {
  const payload =
    payloadBytesMax >= payloadBytesNeeded
      ? ok(`Messages may have ${sizeText(payloadBytesMax)}.`)
      : failure(
          `Messages on the bus may have ${sizeText(payloadBytesMax)} only, so that longer requests are refused.`,
          'Set `max_payload: 8MB` in the configuration of nats-server.',
        );
  const server =
    versionNeeded === null
      ? ok(`nats-server is ${version}.`)
      : warning(
          `nats-server is ${version}, which has known vulnerabilities.`,
          `Install nats-server ${versionNeeded}, or a newer one.`,
        );
  const stream = hasJetStream
    ? [warning('JetStream is on, which nothing uses.', 'Take `jetstream` out of the configuration of nats-server.')]
    : [];
  return [server, payload, ...stream];
}

/** Checks the server of the bus, its certificate, and what the user may do there. */
export async function checkBus({ config }: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const url = config.TRUNKLINE_NATS_URL;
  if (url === undefined) return [];
  const certificates = await checkBusCertificates(url, machine);
  const attempts = attemptsOf(randomUUID());
  const eavesdropping = subjects.rpc('storage', nowhere, 'test');
  try {
    const facts = await probeBus(url, {
      publish: [...attempts.gateway.publish, ...attempts.worker.publish],
      subscribe: [...attempts.gateway.subscribe, ...attempts.worker.subscribe, eavesdropping],
    });
    return [...certificates, ...checkServer(facts), ...checkRights(facts, attempts, eavesdropping)];
  } catch (error) {
    if (!(error instanceof BusProbeError)) throw error;
    const todo = error.isLogin
      ? 'Correct user and password in TRUNKLINE_NATS_URL.'
      : 'Start nats-server, or correct host, port and TLS in TRUNKLINE_NATS_URL.';
    return [...certificates, failure(`The bus cannot be used: ${error.message}.`, todo)];
  }
}
