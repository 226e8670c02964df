import { shownText } from '../../render/text/shown-text.ts';
import { fileAddress, type FilePlace } from './file-address.ts';

/** The directories above a file, from the root of its repository on. */
export function Breadcrumb({ place, root }: { place: FilePlace; root: string }) {
  const segments = place.path === '' ? [] : place.path.split('/');
  const steps = [root, ...segments].map((title, depth) => ({ title, path: segments.slice(0, depth).join('/') }));
  return (
    <nav class="breadcrumb" aria-label="Path">
      <ol>
        {steps.map(({ title, path }) => (
          <li>
            {path === place.path ? (
              <bdi aria-current="page">{shownText(title)}</bdi>
            ) : (
              <a href={fileAddress('files', { ...place, path })}>
                <bdi>{shownText(title)}</bdi>
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
