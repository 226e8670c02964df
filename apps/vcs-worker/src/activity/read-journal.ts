import type { JournalEntryRecord } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { listOwnActivity, listPublicActivity, type ActivityQuery } from './activity-store.ts';
import { toJournalEntryRecord } from './journal-entry-record.ts';
import type { JournalKind } from './journal-feed.ts';

/** A page of a journal as this user may see it now. */
export async function readJournal(db: Db, kind: JournalKind, query: ActivityQuery): Promise<JournalEntryRecord[]> {
  const list = kind === 'own' ? listOwnActivity : listPublicActivity;
  return (await list(db, query)).map(toJournalEntryRecord);
}
