import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { landingRevision } from '../head/landing-revision.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { Readme } from './read-readme.ts';

function Body({ readme: { html, text } }: { readme: Readme }) {
  // The renderer emits safe HTML only.
  if (html !== undefined) return <div class="body markdown" dangerouslySetInnerHTML={{ __html: html }} />;
  if (text !== undefined) return <pre class="body">{text}</pre>;
  return <p class="body soft">This file is too large to be shown here or is not text.</p>;
}

/** Renders a README below its name. */
export function ReadmePanel({ repository, readme }: { repository: RepositoryHead; readme: Readme }) {
  const revision = encodeURIComponent(landingRevision(repository.landing_rev));
  const href = `${pathTo(repository.repo_name)}/files/${revision}/${encodeURIComponent(readme.name)}`;
  return (
    <section class="panel" aria-labelledby="readme">
      <header>
        <h2 id="readme">
          <a href={href}>{shownText(readme.name)}</a>
        </h2>
      </header>
      <Body readme={readme} />
    </section>
  );
}
