import { sizeText, type ProcessState } from '@trunkline/contracts';
import type { ClusterState } from '@trunkline/runtime';
import { formatRows } from '../printable.ts';
import { readCluster, readStorageRows, type StorageRow } from '../cluster.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readProcessConfig } from '../config.ts';
import { withDatabase } from '../with-database.ts';

const roleNames: Readonly<Record<ProcessState['role'], string>> = { gateway: 'gateway', 'vcs-worker': 'worker' };
const idCharsShown = 8;

const shownSize = (bytes: number | null) => (bytes === null ? '?' : sizeText(bytes));

function processRow(state: ProcessState): string[] {
  const { role, id, version, host, pid, seconds, memoryBytes, storages, lanes, calls, operations } = state;
  return [
    roleNames[role],
    id.slice(0, idCharsShown),
    version,
    `${host}:${pid}`,
    `${seconds} s`,
    shownSize(memoryBytes),
    `${calls.count} calls, ${operations.count} operations`,
    storages.join(','),
    lanes.map(({ lane, slots, busy }) => `${lane} ${busy}/${slots}`).join(' '),
  ];
}

const processHead = ['PROCESS', 'ID', 'VERSION', 'HOST:PID', 'AGE', 'MEMORY', 'RUNS', 'STORAGES', 'BUSY SLOTS'];

function runningRows({ id, calls, operations }: ProcessState): string[][] {
  const worker = id.slice(0, idCharsShown);
  return [
    ...operations.oldest.map((one) => [worker, 'operation', one.kind, `${Math.round(one.ms / 1_000)} s`, one.id]),
    ...calls.oldest.map((one) => [worker, one.lane, one.method, `${Math.round(one.ms / 1_000)} s`, one.id]),
  ];
}

const runningHead = ['PROCESS', 'LANE', 'WHAT', 'SINCE', 'ID'];
const storageHead = ['STORAGE', 'STATE', 'REPOSITORIES', 'FREE', 'OF'];

/** Returns what an administrator ought to look at. */
function warningsOf({ answered, absent, unserved, missing }: ClusterState): string[] {
  const versions = [...new Set(answered.map(({ version }) => version))].toSorted();
  return [
    ...missing.map((one) => `The ${one} did not answer, so that processes may be missing here.`),
    ...absent.map(({ role, id }) => `The ${roleNames[role]} ${id} is connected to the database and does not answer.`),
    ...unserved.map((name) => `No worker that answers serves the storage ${name}.`),
    ...(versions.length > 1 ? [`Processes of different versions run: ${versions.join(', ')}.`] : []),
    ...(answered.length === 0 ? ['No process answers: they do not run, or have another TRUNKLINE_SECRET.'] : []),
  ];
}

/** Formats what runs for a terminal. */
export function formatCluster(cluster: ClusterState, storages: readonly StorageRow[]): string {
  const running = cluster.answered.flatMap(runningRows);
  const stored = storages.map((one) => [
    one.name,
    one.state,
    String(one.repositories),
    shownSize(one.freeBytes),
    shownSize(one.capacityBytes),
  ]);
  return [
    formatRows([processHead, ...cluster.answered.map(processRow)]),
    formatRows([storageHead, ...stored]),
    running.length === 0 ? 'Nothing runs now.' : formatRows([runningHead, ...running]),
    ...warningsOf(cluster),
  ].join('\n\n');
}

async function act({ environment }: Context): Promise<Outcome> {
  const config = readProcessConfig(environment);
  return withDatabase(config, async (db) => {
    const cluster = await readCluster(config, db);
    const storages = await readStorageRows(db);
    const { answered: processes, absent, unserved, missing } = cluster;
    return {
      text: formatCluster(cluster, storages),
      record: { processes, absent, unserved, missing, storages },
      isFailure: processes.length === 0 || absent.length + unserved.length + missing.length > 0,
    };
  });
}

export const showStatus: AddCommand = (program, choose) => {
  program
    .command('status')
    .description('list gateways, workers, lanes, storages and what runs; exits with 1 when a part is missing')
    .action(() => choose(act));
};
