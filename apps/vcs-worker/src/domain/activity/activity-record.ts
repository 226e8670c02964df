import { toTimestamp, type ActivityRecord } from '@trunkline/contracts';
import { repositoryPath } from '../feed/feed-links.ts';
import { actionWords, fetchAction } from './action-words.ts';
import type { ActivityRow } from './activity-store.ts';

export function toActivityRecord(row: ActivityRow): ActivityRecord {
  return {
    id: row.id,
    date: toTimestamp(row.at),
    actor: row.actor,
    actor_name: [row.firstname, row.lastname].filter(Boolean).join(' ') || row.actor,
    action: actionWords(row.method, row.args),
    repo_name: row.repository,
    ...(row.method === fetchAction && { count: Number(row.args['count']) }),
    link: row.isDeleted ? null : repositoryPath(row.repository, 'changelog'),
  };
}
