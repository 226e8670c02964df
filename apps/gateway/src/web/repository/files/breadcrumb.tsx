import { shownText } from '../../render/text/shown-text.ts';
import { fileAddress, type FileLocation } from './file-address.ts';

/** Renders the directories above a file and the file itself, from the root of the repository on. */
export function Breadcrumb({ location, root }: { location: FileLocation; root: string }) {
  const segments = location.path === '' ? [] : location.path.split('/');
  const steps = [root, ...segments].map((title, depth) => ({ title, path: segments.slice(0, depth).join('/') }));
  return (
    <nav class="breadcrumb" aria-label="Path">
      <ol>
        {steps.map(({ title, path }) => (
          <li>
            {path === location.path ? (
              <bdi aria-current="page">{shownText(title)}</bdi>
            ) : (
              <a href={fileAddress('files', { ...location, path })}>
                <bdi>{shownText(title)}</bdi>
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
