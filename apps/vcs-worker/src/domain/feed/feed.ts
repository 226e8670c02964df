/** A feed, independent of its format. Texts are plain text with any characters. */
export interface Feed {
  readonly title: string;
  readonly description: string;
  readonly link: string;
  /** Items, the newest first. */
  readonly items: readonly FeedItem[];
}

export interface FeedItem {
  readonly title: string;
  readonly link: string;
  /** Identifier, a `tag:` URI. */
  readonly id: string;
  /** Whether no other item has the same link. */
  readonly linkIsItsOwn: boolean;
  readonly author: string;
  readonly date: Date;
  /** Description in HTML. */
  readonly description: string;
}

export const feedFormats = ['rss', 'atom'] as const;
export type FeedFormat = (typeof feedFormats)[number];

/** Returns the date of a feed's newest item; 1970-01-01 for a feed without items. */
export function updatedOf({ items }: Feed): Date {
  return items.length === 0 ? new Date(0) : new Date(Math.max(...items.map(({ date }) => date.getTime())));
}
