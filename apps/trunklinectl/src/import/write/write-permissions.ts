import { userGlobalPermissions, userIpAddresses, users, type Transaction } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';
import { recordChange } from '../../with-database.ts';
import { importedKey, type ImportedObject } from '../plan/here.ts';
import type { Plan } from '../plan/plan.ts';
import { recordImported } from './imported-store.ts';
import { count, inChunks, nothingBrought, tellKept, type Writing } from './writing.ts';
import { digestParts, mergePairs, mergeParts, type Pairs, type Parts } from './merge.ts';
import { describeKept } from './bring-rights.ts';
import { readHolders, wantedHolders, writeHolders } from './permission-holders.ts';
import { holderOf } from './rights.ts';

type Chosen = Plan['permissions']['chosen'][number];

async function readOfDefault({ defaultUserId }: Writing, tx: Transaction): Promise<ReadonlySet<string>> {
  const { userId, permission } = userGlobalPermissions;
  const rows = await tx.select({ permission }).from(userGlobalPermissions).where(eq(userId, defaultUserId));
  return new Set(rows.map((row) => row.permission));
}

async function readCommonNetworks({ defaultUserId }: Writing, tx: Transaction): Promise<string[]> {
  const rows = await tx.select().from(userIpAddresses).where(eq(userIpAddresses.userId, defaultUserId));
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
  const chosen = permissions.chosen.map((one) => [
    one.among[0] ?? '',
    { source: one.permission, here: wantedOf(writing, one, held) },
  ]);
  const networks = commonNetworks.toSorted();
  return { ...(Object.fromEntries(chosen) as Parts), networks: { source: networks, here: networks } } satisfies Parts;
}

async function readHere(writing: Writing, tx: Transaction, { permissions }: Plan, held: ReadonlySet<string>) {
  const parts: Record<string, unknown> = { networks: await readCommonNetworks(writing, tx) };
  for (const one of permissions.chosen) parts[one.among[0] ?? ''] = chosenHere(one, held);
  return parts;
}

/** Brings who holds each global permission; the first import brings all that the source has. */
async function bringHolders(
  writing: Writing,
  tx: Transaction,
  { permissions }: Plan,
  { before, held }: { readonly before: ImportedObject | undefined; readonly held: ReadonlySet<string> },
) {
  const changed: string[] = [];
  const kept: string[] = [];
  const pairs: Record<string, Pairs> = {};
  for (const one of permissions.holders) {
    const { permission } = one;
    const former = before?.parts.pairs?.[permission];
    const wanted = wantedHolders(one, former ?? {}, { held, isShared: writing.here.isShared });
    const here = await readHolders(writing, tx, { permission, wanted });
    const isThere = (key: string) => key === 'each' || holderOf(writing, key) !== undefined;
    const merge = mergePairs(before ? former : here, wanted, here, isThere);
    await writeHolders(writing, tx, permission, merge.apply);
    pairs[permission] = merge.pairs;
    if (merge.apply.size > 0) changed.push(permission);
    kept.push(...describeKept(writing, `\`${permission}\``, merge.kept));
  }
  return { changed, kept, pairs };
}

async function writeChosen({ defaultUserId }: Writing, tx: Transaction, { among }: Chosen, permission: string) {
  const { userId, permission: held } = userGlobalPermissions;
  await tx.delete(userGlobalPermissions).where(and(eq(userId, defaultUserId), inArray(held, [...among])));
  await tx.insert(userGlobalPermissions).values({ userId: defaultUserId, permission });
}

async function writeNetworks(
  { defaultUserId }: Writing,
  tx: Transaction,
  networks: readonly string[],
  isFirst: boolean,
): Promise<void> {
  if (!isFirst) await tx.delete(userIpAddresses).where(eq(userIpAddresses.userId, defaultUserId));
  const rows = networks.map((ipAddr) => ({ userId: defaultUserId, ipAddr }));
  await inChunks(rows, (chunk) => tx.insert(userIpAddresses).values(chunk).onConflictDoNothing());
}

/** Writes the permissions of `default` for what is created later, and the networks that apply to everybody. */
async function bringCommon(
  writing: Writing,
  tx: Transaction,
  plan: Plan,
  { before, held }: { readonly before: ImportedObject | undefined; readonly held: ReadonlySet<string> },
) {
  const { digests, here } = writing;
  const parts: Parts = partsOf(writing, plan, held);
  const merge = before
    ? await mergeParts(digests, before.parts.digests, parts, () => readHere(writing, tx, plan, held))
    : { apply: new Set(Object.keys(parts)), kept: [], digests: digestParts(digests, parts) };
  // A list that becomes empty since others use the instance now, who are not to be admitted from everywhere.
  if (before && here.isShared && plan.commonNetworks.length === 0 && merge.apply.delete('networks')) {
    merge.kept.push('networks');
  }
  for (const one of plan.permissions.chosen) {
    const name = one.among[0] ?? '';
    if (merge.apply.has(name)) await writeChosen(writing, tx, one, String(parts[name]?.here));
  }
  if (merge.apply.has('networks')) await writeNetworks(writing, tx, plan.commonNetworks, !before);
  return merge;
}

/** Writes global permissions, those of `default` for what is created later, and the networks that apply to everybody. */
export async function writePermissions(writing: Writing, plan: Plan): Promise<void> {
  const { db, here, source, sums, findings, requireLock, defaultUserId } = writing;
  const before = here.imported.get(importedKey('settings', 0));
  await db.transaction(async (tx) => {
    await requireLock(tx);
    // As the API does, changes of the default permissions and of networks wait for each other. What is read follows.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, defaultUserId)).for('no key update');
    const held = await readOfDefault(writing, tx);
    const holders = await bringHolders(writing, tx, plan, { before, held });
    const common = await bringCommon(writing, tx, plan, { before, held });
    const changed = new Set([...common.apply, ...holders.changed]);
    if (changed.size > 0) await recordChange(tx, 'update_default_permissions', { changed: [...changed] });
    const parts = { ...nothingBrought, digests: common.digests, pairs: holders.pairs };
    await recordImported(tx, { source, kind: 'settings', sourceId: 0, objectId: 0, parts }, before);
    tellKept(findings, 'user default', [...common.kept, ...holders.kept]);
    count(sums, !before, changed);
  });
}
