import { userGlobalPermissions, userIpAddresses, users, type Transaction } from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { Plan } from '../plan/plan.ts';
import { recordImported } from './imported-store.ts';
import { inChunks } from './in-chunks.ts';
import { digestParts, mergeParts, type Parts } from './merge-parts.ts';
import { ofDefault, readHolders, wantedHolders, writeHolders } from './permission-holders.ts';
import { count, nothingBrought, tellKept, type Writing } from './writing.ts';

type Chosen = Plan['permissions']['chosen'][number];

async function readOfDefault(tx: Transaction): Promise<ReadonlySet<string>> {
  const { userId, permission } = userGlobalPermissions;
  const rows = await tx.select({ permission }).from(userGlobalPermissions).where(eq(userId, ofDefault));
  return new Set(rows.map((row) => row.permission));
}

async function readCommonNetworks(tx: Transaction): Promise<string[]> {
  const rows = await tx.select().from(userIpAddresses).where(eq(userIpAddresses.userId, ofDefault));
  return rows.map(({ ipAddr }) => ipAddr).toSorted();
}

const chosenHere = ({ among }: Chosen, held: ReadonlySet<string>) => among.find((one) => held.has(one)) ?? null;

/** Returns what `default` is to have of a kind: where others use the instance, no more than it has. */
function wantedOf({ here, findings }: Writing, chosen: Chosen, held: ReadonlySet<string>): string {
  const { among, permission } = chosen;
  const present = chosenHere(chosen, held) ?? among[0] ?? permission;
  if (!here.isShared || among.indexOf(permission) <= among.indexOf(present)) return permission;
  const what = `\`${permission}\` of \`default\` is not taken on, since others use this instance: \`${present}\` stays`;
  findings.push({ kind: 'differs', about: 'user default', what });
  return present;
}

function partsOf(writing: Writing, { permissions, commonNetworks }: Plan, held: ReadonlySet<string>) {
  const holders = permissions.holders.map((one) => [
    one.permission,
    { source: one, here: wantedHolders(writing, one, held) },
  ]);
  const chosen = permissions.chosen.map((one) => [
    one.among[0] ?? '',
    { source: one.permission, here: wantedOf(writing, one, held) },
  ]);
  const networks = commonNetworks.toSorted();
  return {
    ...(Object.fromEntries([...holders, ...chosen]) as Parts),
    networks: { source: networks, here: networks },
  } satisfies Parts;
}

async function readHere(writing: Writing, tx: Transaction, { permissions }: Plan, held: ReadonlySet<string>) {
  const parts: Record<string, unknown> = { networks: await readCommonNetworks(tx) };
  for (const one of permissions.chosen) parts[one.among[0] ?? ''] = chosenHere(one, held);
  for (const { permission } of permissions.holders) parts[permission] = await readHolders(writing, tx, permission);
  return parts;
}

async function writeChosen(tx: Transaction, { among }: Chosen, permission: string): Promise<void> {
  const { userId, permission: held } = userGlobalPermissions;
  await tx.delete(userGlobalPermissions).where(and(eq(userId, ofDefault), inArray(held, [...among])));
  await tx.insert(userGlobalPermissions).values({ userId: sql`${ofDefault}`, permission });
}

async function writeNetworks(tx: Transaction, networks: readonly string[], isFirst: boolean): Promise<void> {
  if (!isFirst) await tx.delete(userIpAddresses).where(eq(userIpAddresses.userId, ofDefault));
  const rows = networks.map((ipAddr) => ({ userId: sql`${ofDefault}`, ipAddr }));
  await inChunks(rows, (chunk) => tx.insert(userIpAddresses).values(chunk).onConflictDoNothing());
}

/** Writes global permissions, those of `default` for what is created later, and the networks that apply to everybody. */
export async function writePermissions(writing: Writing, plan: Plan): Promise<void> {
  const { db, digests, here, source, sums, findings, requireLock } = writing;
  const { permissions } = plan;
  const before = here.imported.get(importedKey('settings', 0));
  await db.transaction(async (tx) => {
    await requireLock(tx);
    // As the API does, changes of the default permissions and of networks wait for each other.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, ofDefault)).for('no key update');
    const held = await readOfDefault(tx);
    const parts: Parts = partsOf(writing, plan, held);
    const merge = before
      ? await mergeParts(digests, before.parts.digests, parts, () => readHere(writing, tx, plan, held))
      : { apply: new Set(Object.keys(parts)), kept: [], digests: digestParts(digests, parts) };
    // A list that becomes empty since others use the instance now, who are not to be admitted from everywhere.
    if (before && here.isShared && plan.commonNetworks.length === 0 && merge.apply.delete('networks')) {
      merge.kept.push('networks');
    }
    for (const holders of permissions.holders) {
      if (merge.apply.has(holders.permission)) await writeHolders(writing, tx, holders, held);
    }
    for (const one of permissions.chosen) {
      const name = one.among[0] ?? '';
      if (merge.apply.has(name)) await writeChosen(tx, one, String(parts[name]?.here));
    }
    if (merge.apply.has('networks')) await writeNetworks(tx, plan.commonNetworks, !before);
    if (merge.apply.size > 0) await recordChange(tx, 'update_default_permissions', { changed: [...merge.apply] });
    const recorded = { ...nothingBrought, digests: merge.digests };
    await recordImported(tx, { source, kind: 'settings', sourceId: 0, objectId: 0, parts: recorded }, before);
    tellKept(findings, 'user default', merge.kept);
    count(sums, !before, merge.apply);
  });
}
