import { randomUUID } from 'node:crypto';
import { decodeDataOffer, subjects, type DataOffer } from '@trunkline/contracts';
import {
  BusError,
  checkDataPort,
  DataClient,
  DataError,
  readDataClientOptions,
  toOneLine,
  type Bus,
  type ClusterState,
} from '@trunkline/runtime';
import { askProcesses, stateNeeds, withBus } from '../cluster.ts';
import type { DoctorSettings, ProcessConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { vaultOf, withDatabase } from '../with-database.ts';
import { findingsOf, type Finding } from './check.ts';

const { ok, warning, failure } = findingsOf('processes');

const windowMs = 1_000;
const correctPath =
  'Correct TRUNKLINE_DATA_URL, TRUNKLINE_DATA_HOST and certificate of the worker, TRUNKLINE_DATA_NETWORKS here, or the firewall between.';

async function checkOffer(client: DataClient, offer: DataOffer, requestId: string): Promise<Finding> {
  try {
    await checkDataPort(client, offer, requestId);
    return ok(`The data port ${offer.address} can be reached from here.`);
  } catch (error) {
    const why = error instanceof DataError ? error.message : 'it does not answer as a data port';
    return failure(`The data port ${offer.address} cannot be reached from here: ${why}.`, correctPath);
  }
}

/** Asks all workers for offers, and makes the transfers that they offer, one after the other. */
async function checkDataPorts(bus: Bus, client: DataClient): Promise<readonly Finding[]> {
  const requestId = randomUUID();
  const checks: Promise<Finding>[] = [];
  try {
    await bus.requestAll(subjects.dataPorts, Buffer.from(requestId), windowMs, (payload) => {
      const offer = decodeDataOffer(payload);
      if (offer) checks.push(checkOffer(client, offer, requestId));
    });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
  }
  if (checks.length > 0) return Promise.all(checks);
  return [failure('No worker offers its data port.', 'Start a worker, and read its log.')];
}

/** Judges what gateways tell of the data ports that they have checked, which they do once a minute. */
function judgePaths(answered: ClusterState['answered']): readonly Finding[] {
  const gateways = answered.filter(({ unreachable }) => unreachable !== undefined);
  const broken = gateways.flatMap(({ id, host, unreachable = [] }) =>
    unreachable.map((address) =>
      failure(
        `The gateway ${id} on ${host} cannot reach the data port ${address}.`,
        correctPath.replace('here', 'there'),
      ),
    ),
  );
  if (broken.length > 0 || gateways.length === 0) return broken;
  return [ok('Every gateway reaches the data ports that it has found.')];
}

function judge({ answered, absent, unserved }: ClusterState): readonly Finding[] {
  const start = 'Look at its log, and restart it.';
  const count = (role: string) => answered.filter((state) => state.role === role).length;
  const versions = [...new Set(answered.map(({ version }) => version))].toSorted();
  return [
    ok(`${count('gateway')} gateways and ${count('vcs-worker')} workers answer.`),
    ...absent.map(({ role, id }) => failure(`The process ${role} ${id} does not answer.`, start)),
    ...unserved.map((name) =>
      failure(
        `No worker serves the storage \`${name}\`.`,
        'Start a worker with it in TRUNKLINE_STORAGES, or set its state to offline.',
      ),
    ),
    ...judgePaths(answered),
    ...(versions.length < 2
      ? []
      : [warning(`Processes of different versions run: ${versions.join(', ')}.`, 'Replace the former ones.')]),
  ];
}

function isComplete(config: DoctorSettings['config']): config is DoctorSettings['config'] & ProcessConfig {
  const { TRUNKLINE_DATABASE_URL, TRUNKLINE_NATS_URL, TRUNKLINE_SECRET, TRUNKLINE_OLD_SECRETS } = config;
  return [TRUNKLINE_DATABASE_URL, TRUNKLINE_NATS_URL, TRUNKLINE_SECRET, TRUNKLINE_OLD_SECRETS].every(
    (value) => value !== undefined,
  );
}

/** Checks that gateways and workers answer, and that their data ports can be reached from here. */
export async function checkProcesses({ config }: DoctorSettings): Promise<readonly Finding[]> {
  const { TRUNKLINE_DATA_NETWORKS: networks, TRUNKLINE_DATA_TLS_CA: ca } = config;
  if (!isComplete(config) || networks === undefined || ca === undefined) return [];
  const settings = { TRUNKLINE_DATA_NETWORKS: networks, TRUNKLINE_DATA_TLS_CA: ca };
  const client = new DataClient({ ...(await readDataClientOptions(settings)), vault: vaultOf(config) });
  try {
    return await withDatabase(config, (db) =>
      withBus(config.TRUNKLINE_NATS_URL, stateNeeds, async (bus) => [
        ...judge(await askProcesses(bus, vaultOf(config), db)),
        ...(await checkDataPorts(bus, client)),
      ]),
    );
  } catch (error) {
    const todo = 'Run this with the settings of a gateway, and see what else is found here.';
    const what = `Gateways and workers cannot be asked: ${toOneLine(error)}.`;
    return [error instanceof RefusedError ? warning(what, todo) : failure(what, todo)];
  } finally {
    client.close();
  }
}
