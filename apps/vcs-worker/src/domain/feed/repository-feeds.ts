import type { RepositoryAccess } from '../../authz/authorize.ts';
import { CoalescingCache, type CacheFigures } from '@trunkline/runtime/concurrency';
import { requireRecordedTip } from '../repo/require-recorded-tip.ts';
import type { VcsReads } from '../../vcs/backend.ts';
import { encodeFeed } from './encode-feed.ts';
import type { FeedFormat } from './feed.ts';
import { readRepositoryFeed, type FeedSettings, type FeedSource } from './repository-feed.ts';

const bytesMax = 8 * 1024 * 1024;
const bytesOfEntry = 512;

type NumberedSource = FeedSource & Pick<VcsReads, 'resolveRevision'>;
type Repository = Pick<RepositoryAccess, 'uuid' | 'name' | 'generation' | 'tipId'>;

/** Cache of encoded feeds, one for each generation, name, format and base URL of a repository. */
export class RepositoryFeeds {
  readonly settings: FeedSettings;
  readonly #readings = new CoalescingCache<Uint8Array>(
    bytesMax,
    (bytes, key) => bytes.length + 2 * key.length + bytesOfEntry,
  );

  get figures(): CacheFigures {
    return this.#readings.figures;
  }

  constructor(settings: FeedSettings) {
    this.settings = settings;
  }

  get(
    { uuid, name, generation, tipId }: Repository,
    from: { readonly source: { forCall(signal: AbortSignal): NumberedSource }; readonly path: string },
    { format, baseUrl }: { readonly format: FeedFormat; readonly baseUrl: string },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const read = async (shared: AbortSignal) => {
      const source = from.source.forCall(shared);
      await requireRecordedTip(source, from.path, tipId);
      const path = tipId === null ? null : from.path;
      return encodeFeed(format, await readRepositoryFeed(source, { name, path }, baseUrl, this.settings));
    };
    return this.#readings.get([uuid, generation, name, format, baseUrl], read, signal);
  }
}
