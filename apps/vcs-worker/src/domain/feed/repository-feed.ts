import type { CacheFigures } from '@trunkline/runtime/concurrency';
import type { CacheNamespace, GenerationCache } from '../../cache/generation-cache.ts';
import type { HistoryEntry, NamedChangesets, Refs, VcsBackend, VcsReads } from '../../vcs/backend.ts';
import type { VcsContent } from '../../vcs/content.ts';
import {
  changesetDescription,
  cutOffMark,
  type DescribedChangeset,
  filesRead,
  itemTitle,
} from './changeset-description.ts';
import { encodeFeed, type Feed, type FeedFormat, type FeedItem } from './feed.ts';
import { linkTo, repositoryPath, tagUri } from './feed-links.ts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { readDiffText } from '../repo/read-diff-text.ts';
import { requireRecordedTip } from '../repo/recorded-state.ts';

export interface FeedSettings {
  readonly siteName: string;
  /** Limit of the changesets in a repository's feed. */
  readonly itemsMax: number;
  readonly includeDiff: boolean;
  /** Limit of an item's text in characters, and of its diff in bytes. */
  readonly cutOffLimit: number;
}

/** The methods of a back end that feeds use. */
export type FeedSource = Pick<VcsBackend, 'log' | 'refs'> & Pick<VcsContent, 'fileStats' | 'diff'>;

const namesMax = 100;

function namesOf(rawId: string, named: NamedChangesets): string[] {
  const those = [...named].filter(([, pointedAt]) => pointedAt === rawId);
  return those.slice(0, namesMax).map(([name]) => name);
}

const feedDiff = { context: 3, ignoreWhitespace: false, binary: false };

async function readDiff(source: FeedSource, path: string, rawId: string, bytesMax: number): Promise<string> {
  const { text, isCut } = await readDiffText(source.diff(path, rawId, feedDiff), bytesMax);
  return isCut ? `${text}${cutOffMark}` : text;
}

async function describe(
  source: FeedSource,
  path: string,
  entries: readonly HistoryEntry[],
  refs: Refs,
  settings: FeedSettings,
): Promise<DescribedChangeset[]> {
  const stats = await source.fileStats(
    path,
    entries.map(({ rawId }) => rawId),
    filesRead,
  );
  const described: DescribedChangeset[] = [];
  for (const entry of entries) {
    const { rawId, branch } = entry;
    described.push({
      ...entry,
      branches: branch === null ? namesOf(rawId, refs.branches) : [branch],
      bookmarks: namesOf(rawId, refs.bookmarks),
      tags: namesOf(rawId, refs.tags),
      files: stats.get(rawId) ?? [],
      diff: settings.includeDiff ? await readDiff(source, path, rawId, settings.cutOffLimit) : null,
    });
  }
  return described;
}

async function readChangesets(source: FeedSource, path: string, settings: FeedSettings) {
  const [entries, refs] = await Promise.all([
    source.log(path, { reverse: true, limit: settings.itemsMax, withFiles: false }),
    source.refs(path),
  ]);
  return describe(source, path, entries, refs, settings);
}

interface FeedRepository {
  readonly name: string;
  /** Path of the repository; null for an empty repository. */
  readonly path: string | null;
}

/** Reads the newest changesets of a repository as a feed. */
export async function readRepositoryFeed(
  source: FeedSource,
  { name, path }: FeedRepository,
  baseUrl: string,
  settings: FeedSettings,
): Promise<Feed> {
  const changesets = path === null ? [] : await readChangesets(source, path, settings);
  const toItem = (changeset: DescribedChangeset): FeedItem => {
    const page = repositoryPath(name, 'changeset', changeset.rawId);
    const link = linkTo(baseUrl, page);
    return {
      title: itemTitle(changeset.message),
      link,
      id: tagUri(baseUrl, changeset.date, page),
      linkIsItsOwn: true,
      author: changeset.author,
      date: changeset.date,
      description: changesetDescription(changeset, link, settings.cutOffLimit),
    };
  };
  return {
    title: `${settings.siteName} ${name} feed`,
    description: `Changes on ${name} repository`,
    link: linkTo(baseUrl, repositoryPath(name)),
    items: changesets.map(toItem),
  };
}

type NumberedSource = FeedSource & Pick<VcsReads, 'resolveRevision'>;
type Repository = Pick<RepositoryAccess, 'uuid' | 'name' | 'generation' | 'tipId'>;

/** Cache of encoded feeds, one for each generation, name, format and base URL of a repository. */
export class RepositoryFeeds {
  readonly #settings: FeedSettings;
  readonly #documents: CacheNamespace<Uint8Array>;

  constructor(settings: FeedSettings, cache: GenerationCache) {
    this.#settings = settings;
    this.#documents = cache.namespace({ bytesOf: ({ length }) => length });
  }

  get figures(): CacheFigures {
    return this.#documents.figures;
  }

  get(
    repository: Repository,
    from: { readonly source: { forCall(signal: AbortSignal): NumberedSource }; readonly path: string },
    { format, baseUrl }: { readonly format: FeedFormat; readonly baseUrl: string },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { name, tipId } = repository;
    const read = async (shared: AbortSignal) => {
      const source = from.source.forCall(shared);
      await requireRecordedTip(source, from.path, tipId);
      const path = tipId === null ? null : from.path;
      return encodeFeed(format, await readRepositoryFeed(source, { name, path }, baseUrl, this.#settings));
    };
    return this.#documents.get(repository, [name, format, baseUrl], read, signal);
  }
}
