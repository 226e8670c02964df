import { toTimestamp, type EmbeddedUserRecord, type FullUserRecord, type UserRecord } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { ShownUserRow, UserRow } from './user-store.ts';

/** Returns the record of a user (spec 2.1), without key and networks. */
export function toUserRecord(row: ShownUserRow): UserRecord {
  return {
    user_id: row.id,
    username: row.username,
    firstname: row.firstname,
    lastname: row.lastname,
    email: row.email,
    emails: row.emails,
    active: row.active,
    admin: row.admin,
    ldap_dn: row.ldapDn,
    last_login: row.lastLogin && toTimestamp(row.lastLogin),
  };
}

/** Returns the record with the built-in key, for update_user. */
export function toUserRecordWithKey(row: UserRow, vault: SecretVault): UserRecord & { api_key: string } {
  return { ...toUserRecord(row), api_key: vault.open(row.sealedKey) };
}

/** Returns the record with the built-in key and the networks, for administrators and the users themselves. */
export function toFullUserRecord(row: UserRow, vault: SecretVault): FullUserRecord {
  return { ...toUserRecord(row), api_key: vault.open(row.sealedKey), ip_addresses: row.networks };
}

/** A user inside another record, with the key and the networks where they were read. */
export type EmbeddedUserRow = ShownUserRow & {
  readonly sealedKey?: Buffer | null;
  readonly networks?: string[] | null;
};

/** Returns a user inside another record. Only administrators see the key and, with `addresses`, the networks. */
export function toEmbeddedUserRecord(
  row: EmbeddedUserRow,
  shown: { vault: SecretVault; toAdmin: boolean; addresses: boolean },
): EmbeddedUserRecord {
  // A copy for each of many members would cost more than all else that is done for them.
  const record: EmbeddedUserRecord = toUserRecord(row);
  if (!shown.toAdmin) return record;
  if (row.sealedKey) record.api_key = shown.vault.open(row.sealedKey);
  if (shown.addresses && row.networks) record.ip_addresses = row.networks;
  return record;
}
