import { customType, integer, timestamp } from 'drizzle-orm/pg-core';

export const id = () => integer().primaryKey().generatedAlwaysAsIdentity();

export const instant = () => timestamp({ withTimezone: true, mode: 'date' });

/** The time at which the row was inserted. */
export const insertedAt = () => instant().notNull().defaultNow();

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** Text that is compared and sorted byte by byte, whatever the collation of the database. */
export const exactText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

/** Writes values as the literal of a parameter `::bytea[]`: the driver would send a list of buffers as one buffer. */
export function byteaArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}

/** Returns a form of a name or address that is the same for upper and lower case, in any script. */
export function foldCase(value: string): string {
  // Lower case comes first, because the capital ẞ is its own upper case, while ß becomes SS.
  return value.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
