import type { ActivityRecord } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { listOwnActivity, listPublicActivity, type ActivityQuery } from './activity-store.ts';
import { toActivityRecord } from './activity-record.ts';
import type { ActivityKind } from './activity-feed.ts';

/** Reads a page of activity with the rights that the user has now. */
export async function readActivity(db: Db, kind: ActivityKind, query: ActivityQuery): Promise<ActivityRecord[]> {
  const list = kind === 'own' ? listOwnActivity : listPublicActivity;
  return (await list(db, query)).map(toActivityRecord);
}
