import { kindOfMode, pathOf, type DiffFile } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/shown-text.ts';
import { fileAddress, isAddressablePath, type FileLocation } from '../files/file-address.ts';
import { ownDiffOf, type DiffUrls } from './diff-urls.tsx';
import { LineCounts } from './file-list.tsx';

/** The changesets that a diff compares, in their repository. */
export interface DiffSides {
  readonly repository: string;
  /** Null where nothing was before. */
  readonly before: string | null;
  readonly after: string;
}

/** Returns where a file is on each side of the change; null where it is not, is a submodule, or has no address. */
export function locationsOf({ oldPath, newPath, oldMode, newMode }: DiffFile, sides: DiffSides) {
  const at = (revision: string | null, path: string | null, mode: string | null): FileLocation | null => {
    if (revision === null || path === null || kindOfMode(mode) === 'submodule') return null;
    return isAddressablePath(path) ? { repository: sides.repository, revision, path } : null;
  };
  return { before: at(sides.before, oldPath, oldMode), after: at(sides.after, newPath, newMode) };
}

/** Files that programs write, by the last segment of their path, and by its end. */
const generated =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock|poetry\.lock|Pipfile\.lock|uv\.lock|go\.sum|flake\.lock)$|\.(?:min\.js|min\.css|map)$/;
/** Changed lines beyond which a file is large. */
const largeLines = 500;

/** Returns whether a file is folded at first: one that was removed, is large, or was written by a program. */
export function isFoldedFile(file: DiffFile): boolean {
  const isLarge = file.isCut || file.linesAdded + file.linesRemoved > largeLines;
  return isLarge || file.change === 'removed' || generated.test(pathOf(file));
}

interface HeadProps {
  readonly file: DiffFile;
  readonly fileId: string;
  readonly hasCompleteCounts: boolean;
}

interface LinksProps extends Pick<HeadProps, 'file' | 'fileId'> {
  readonly sides: DiffSides;
  readonly urls: DiffUrls;
}

/** Renders links to a file before and after the change, to its history, and to its difference alone. */
export function DiffFileLinks({ file, fileId, sides, urls }: LinksProps) {
  const { before, after } = locationsOf(file, sides);
  const at = after ?? before;
  // For programs that read pages aloud: the links of all files look alike.
  const about = { 'aria-describedby': `${fileId}-name` };
  return (
    <p class="links">
      {after && (
        <a class="to-file" href={fileAddress('files', after)} {...about}>
          View file
        </a>
      )}
      {before && (
        <a href={fileAddress('files', before)} {...about}>
          Before
        </a>
      )}
      {at && (
        <a href={fileAddress('changelog', at)} {...about}>
          History
        </a>
      )}
      {!urls.options.only && (
        <a href={ownDiffOf(urls, file)} {...about}>
          Only this file
        </a>
      )}
    </p>
  );
}

/** Renders what stands above the lines of a file: its path or both, and what happened to it. */
export function DiffFileHead({ file, fileId, hasCompleteCounts }: HeadProps) {
  const { change, oldPath, isBinary, linesAdded: added, linesRemoved: removed } = file;
  const hasMoved = change === 'renamed' || change === 'copied';
  return (
    <>
      <h3 id={`${fileId}-name`}>
        {hasMoved && <span class="soft">{shownText(oldPath ?? '')} → </span>}
        {shownText(pathOf(file))}
      </h3>
      {change !== 'changed' && <span class="badge">{change === 'mode' ? 'mode changed' : change}</span>}
      {hasCompleteCounts && !isBinary && <LineCounts added={added} removed={removed} />}
    </>
  );
}
