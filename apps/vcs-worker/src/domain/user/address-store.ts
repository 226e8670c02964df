import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { addressAllowed, canonicalNetwork } from '@trunkline/runtime';
import { type Transaction, userIpAddresses } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import type { Access } from '../../authz/authorize.ts';
import { defaultUserId } from '../../authz/effective-level.ts';
import { lockDefaultUser } from './default-permission-store.ts';

/** Returns the canonical network of an argument `ip`; throws InvalidArgsError for text that is none. */
export function requireNetwork(ip: string): string {
  const network = canonicalNetwork(ip);
  if (network === null) throw new InvalidArgsError('Invalid value for `ip`: must be an address or a network');
  return network;
}

async function requireCallerStays(tx: Transaction, { user, ip }: Access): Promise<void> {
  const rows = await tx
    .select({ network: userIpAddresses.ipAddr })
    .from(userIpAddresses)
    .where(sql`${userIpAddresses.userId} = ${user.id} or ${userIpAddresses.userId} = ${defaultUserId}`);
  const networks = rows.map(({ network }) => network);
  if (addressAllowed(ip, networks)) return;
  throw new ConflictError(`this would shut out the address \`${ip}\` from which you call`);
}

/**
 * Changes networks and checks that the caller could still call. Changes are serialised, since two at once could lock
 * the caller out.
 */
async function changeAddresses(
  tx: Transaction,
  access: Access,
  change: () => Promise<readonly unknown[]>,
): Promise<boolean> {
  await lockDefaultUser(tx);
  const changed = await change();
  await requireCallerStays(tx, access);
  return changed.length > 0;
}

/**
 * Adds a network; returns false when the user had it already. Throws ConflictError when it would shut the caller out.
 */
export async function insertAddress(
  tx: Transaction,
  access: Access,
  userId: number,
  network: string,
): Promise<boolean> {
  return changeAddresses(tx, access, () =>
    tx
      .insert(userIpAddresses)
      .values({ userId, ipAddr: network })
      .onConflictDoNothing()
      .returning({ id: userIpAddresses.id }),
  );
}

/** Removes a network; returns false when the user lacks it. Throws ConflictError when it would shut the caller out. */
export async function removeAddress(
  tx: Transaction,
  access: Access,
  userId: number,
  network: string,
): Promise<boolean> {
  return changeAddresses(tx, access, () =>
    tx
      .delete(userIpAddresses)
      .where(and(eq(userIpAddresses.userId, userId), eq(userIpAddresses.ipAddr, network)))
      .returning({ id: userIpAddresses.id }),
  );
}
