import type { BriefChangeset } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { messageParts, parseAuthor } from '../../render/changeset-text.ts';
import { cutText, shownText } from '../../render/shown-text.ts';

const subjectCharsMax = 200;

/** Renders the first line of a changeset's message. */
export function Subject({ message }: Pick<BriefChangeset, 'message'>) {
  return <>{shownText(cutText(messageParts(message).about, subjectCharsMax)) || <em>no message</em>}</>;
}

interface Props {
  readonly repository: string;
  readonly changeset: BriefChangeset;
  /** The link to the changesets before it. */
  readonly history: { readonly href: string; readonly title: string };
}

/** Renders the newest changeset of a directory above what is in it. */
export function LastChange({ repository, changeset, history }: Props) {
  const { raw_id: rawId, short_id: shortId, message, author, date } = changeset;
  const href = pathTo(repository, 'changeset', rawId);
  return (
    <header class="last-change">
      <span class="author">{shownText(parseAuthor(author).name)}</span>
      <a class="about" href={href}>
        <Subject message={message} />
      </a>
      <a class="mono" href={href}>
        {shortId}
      </a>
      <When date={date} />
      <a class="history" href={history.href}>
        {history.title}
      </a>
    </header>
  );
}
