import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { parseAuthor } from '../../render/changeset-text.ts';
import { cutText, shownText } from '../../render/shown-text.ts';
import { changeAnchor, fileAddress, isAddressablePath, type FileLocation } from '../files/file-address.ts';
import { pageStart, type PageBlock } from './annotated-lines.ts';

const aboutCharsMax = 200;
const authorCharsMax = 60;

/** Returns the address of a line on the page that shows what has written it. */
export function annotationAddress(location: FileLocation, line: number): string {
  const start = pageStart(line);
  return `${fileAddress('annotate', location)}${start === 1 ? '' : `?from=${start}`}#L${line}`;
}

interface Props {
  readonly location: FileLocation;
  readonly block: PageBlock;
  /** Safe HTML of the lines. */
  readonly html: string;
}

/** Renders consecutive lines beside the changeset that has written them. */
export function AnnotatedBlock({ location, block, html }: Props) {
  const { lines, origin, originLine, shade } = block;
  const { raw_id: id, short_id: short, message, author, date, path, before } = origin;
  const { repository } = location;
  const changeset = pathTo(repository, 'changeset', id);
  const former = before && { repository, revision: before.raw_id, path: before.path };
  const name = shownText(cutText(parseAuthor(author).name, authorCharsMax));
  return (
    <div class={`annotated shade-${shade}${lines > 1 ? ' tall' : ''}`}>
      <div class="origin">
        <a
          class="subject"
          href={`${changeset}#${changeAnchor(path)}`}
          title={shownText(cutText(message, aboutCharsMax))}
        >
          {shownText(cutText(message, aboutCharsMax)) || <em>no message</em>}
        </a>
        <span class="author" title={name}>
          {name}
        </span>
        <When date={date} />
        <a class="mono" href={changeset}>
          {short}
        </a>
        {former && isAddressablePath(former.path) ? (
          <a class="before" href={annotationAddress(former, originLine)} title="Before this change">
            ←<span class="visually-hidden"> Before {short}</span>
          </a>
        ) : (
          <span class="before" />
        )}
      </div>
      <pre class="source" dangerouslySetInnerHTML={{ __html: html }} />
    </div>
  );
}
