import { toTimestamp, type ConsistencyRecord } from '@trunkline/contracts';
import { databaseTime } from '@trunkline/db';
import { findInDatabase } from '../../storage/consistency/find-in-database.ts';
import { findOnDisk } from '../../storage/consistency/find-on-disk.ts';
import { shownFindings, type Finder, type Finding } from '../../storage/consistency/finding.ts';
import type { Storage } from '../../storage/storage.ts';
import type { MethodHandler } from '../context.ts';

const wrongDisk: Finding = {
  kind: 'storage_marker',
  path: '.trunkline-storage',
  msg: 'The storage does not belong to this database (is the disk mounted?). It was not checked any further.',
};

function toRecord(
  { kind, repositoryId, name, path, storage, operationId, since, msg, repair }: Finding,
  repaired: boolean,
): ConsistencyRecord['findings'][number] {
  return {
    kind,
    repo_id: repositoryId ?? null,
    name: name ?? null,
    path: path ?? null,
    storage: storage ?? null,
    operation_id: operationId ?? null,
    since: since ? toTimestamp(since) : null,
    msg,
    repair: repair?.text ?? null,
    repaired,
  };
}

type Marker = ConsistencyRecord['storage'];

/** Finds what is wrong with one storage. */
async function findInStorage(finder: Finder, storage: Storage, marker: Marker): Promise<Finding[]> {
  const findings = marker === 'ours' ? await findOnDisk({ ...finder, storage }) : [wrongDisk];
  return findings.map((finding) => ({ ...finding, storage: storage.name }));
}

export const getConsistencyReport: MethodHandler<'get_consistency_report'> = async ({ repair }, context) => {
  const { db, storages, logger, signal, wakeSweepers, trashDays } = context;
  // An empty transaction checks the rights and writes the call to the audit log.
  if (repair) await context.transact(async () => {});
  else await context.authorize();

  const finder: Finder = { db, signal, wakeSweepers, trashDays, now: new Date(await databaseTime(db)) };
  const markers: { storage: Storage; marker: Marker }[] = [];
  for (const { storage } of storages.all) markers.push({ storage, marker: await storage.marker() });
  const inDatabase = await findInDatabase(finder);
  const findings: Finding[] = [];
  for (const { storage, marker } of markers) findings.push(...(await findInStorage(finder, storage, marker)));
  findings.push(...inDatabase);
  const records: ConsistencyRecord['findings'] = [];
  const shown = shownFindings(findings);
  for (const finding of shown) {
    signal.throwIfAborted();
    const work = repair ? finding.repair?.act() : undefined;
    const repaired = await work?.catch((error: unknown) => {
      logger.warn({ err: error, kind: finding.kind, path: finding.path }, 'finding not repaired');
      return false;
    });
    records.push(toRecord(finding, repaired ?? false));
  }
  return {
    storage: markers.find(({ marker }) => marker !== 'ours')?.marker ?? 'ours',
    storages: markers.map(({ storage: { name }, marker }) => ({ name, marker })),
    findings: records,
    truncated: shown.length < findings.length,
  };
};
