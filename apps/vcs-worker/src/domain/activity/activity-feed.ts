import type { ActivityRecord } from '@trunkline/contracts';
import { escaped, type Feed, type FeedItem } from '../feed/feed.ts';
import { linkTo, tagUri } from '../feed/feed-links.ts';

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
