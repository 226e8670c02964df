/** What lists say of a changeset. */
export interface ListedChangeset {
  readonly rawId: string;
  readonly author: string;
  readonly date: Date;
  /** The first line of the message. */
  readonly message: string;
}

/** The newest changes of what is in a directory at a changeset, which are the changeset itself or ancestors of it. */
export interface LastChanges {
  /** The newest changeset that changed anything in the directory; null when none did. */
  readonly newest: ListedChangeset | null;
  /** By the name of the entry. Of a directory, anything below it counts; an entry of which none is known is not here. */
  readonly entries: ReadonlyMap<string, ListedChangeset>;
}

const authorCharsMax = 200;
const messageCharsMax = 500;

/** Returns a changeset for a list, with texts that are cut: a directory may name thousands of changesets. */
export function toListedChangeset({ rawId, author, date, message }: ListedChangeset): ListedChangeset {
  const [firstLine = ''] = message.trimStart().split(/\r?\n|\r/, 1);
  return { rawId, author: author.slice(0, authorCharsMax), date, message: firstLine.slice(0, messageCharsMax) };
}
