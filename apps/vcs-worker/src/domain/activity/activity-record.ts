import { type ActivityRecord, toTimestamp } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { linkTo, repositoryPath, tagUri } from '../feed/feed-links.ts';
import { actionWords, fetchAction } from './action-words.ts';
import { type ActivityQuery, type ActivityRow, listOwnActivity, listPublicActivity } from './activity-store.ts';
import { escaped, type Feed, type FeedItem } from '../feed/feed.ts';

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

/** Reads a page of activity with the rights that the user has now. */
export async function readActivity(db: Db, kind: ActivityKind, query: ActivityQuery): Promise<ActivityRecord[]> {
  const list = kind === 'own' ? listOwnActivity : listPublicActivity;
  return (await list(db, query)).map(toActivityRecord);
}

export type ActivityKind = 'own' | 'public';

/** Titles are those that feed readers know from other hosts of this API. */
const activityPages = {
  own: { title: 'journal', path: '/_admin/journal' },
  public: { title: 'public journal', path: '/_admin/public_journal' },
} as const;

/** Converts a page of activity to a feed. */
export function toActivityFeed(
  kind: ActivityKind,
  entries: readonly ActivityRecord[],
  { siteName, baseUrl }: { readonly siteName: string; readonly baseUrl: string },
): Feed {
  const { title, path } = activityPages[kind];
  const page = linkTo(baseUrl, path);
  const toItem = ({
    id,
    date,
    actor_name: author,
    action,
    repo_name: repository,
    link,
    count,
  }: ActivityRecord): FeedItem => {
    const target = link === null ? page : linkTo(baseUrl, link);
    const at = new Date(`${date}Z`);
    const times = count === undefined || count === 1 ? '' : ` (${count} times)`;
    return {
      title: `${author} - ${action} ${repository}`,
      link: target,
      id: tagUri(baseUrl, at, `${activityPages.own.path}/${id}`),
      linkIsItsOwn: false,
      author,
      date: at,
      description: `${escaped(`${author} ${action}`)} <a href="${escaped(target)}">${escaped(repository)}</a>${times}`,
    };
  };
  return {
    title: `${siteName} ${title} feed`,
    description: `Latest entries of the ${title}`,
    link: page,
    items: entries.map(toItem),
  };
}
