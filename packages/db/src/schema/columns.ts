import { customType, integer, timestamp } from 'drizzle-orm/pg-core';

export const id = () => integer().primaryKey().generatedAlwaysAsIdentity();

export const instant = () => timestamp({ withTimezone: true, mode: 'date' });

/** The time at which the row was inserted. */
export const insertedAt = () => instant().notNull().defaultNow();

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** Text that is compared and sorted byte by byte, whatever the collation of the database. */
export const exactText = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });
