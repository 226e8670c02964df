import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import { parseComparison } from '../changeset/read-range.ts';
import { landingRevision } from '../full-name.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { throwNoPage, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { CompareForm, compareAddress, readSideChoices } from './compare-form.tsx';
import { otherRepository } from './compared-sides.ts';
import { showComparison } from './comparison.tsx';

/** Returns the revision that `<kind>@<name>` means, as in addresses of Kallithea, whatever else has the same name. */
function revisionNamed({ repo_type: type }: RepositoryHead, sent: string): string {
  const [, kind, name] = /^(branch|tag|book|rev)@(.+)$/s.exec(sent) ?? [];
  return kind === undefined ? sent : landingRevision({ repo_type: type, landing_rev: `${kind}:${name}` });
}

async function showForm(visit: Visit, address: PageAddress, repository: RepositoryHead): Promise<Response> {
  const { repo_name: name } = repository;
  const other = otherRepository(visit);
  const [from, to] = [visit.query.get('from')?.trim() ?? '', visit.query.get('to')?.trim() ?? ''];
  if (from !== '' && to !== '') return seeOther(compareAddress(name, { from, to, other }));
  const compared = { from: from || landingRevision(repository), to, other };
  return showRepositoryPage(visit, address, {
    title: 'Compare',
    tab: 'changelog',
    repository,
    children: (
      <>
        <h2>Compare</h2>
        <CompareForm repository={name} compared={compared} choices={await readSideChoices(visit, repository, other)} />
        <p class="soft">
          Shows the changesets that the second revision has and the first has not, and their difference.
        </p>
      </>
    ),
  });
}

/** The page at `/compare/<revision>...<revision>`, where names may have slashes, and the form that leads there. */
export const comparePage: RepositoryPage = {
  pageName: 'CompareController:compare',
  async get(visit, address) {
    // Called first: it refuses a hidden repository with the error of a path that names none.
    const repository = await readContentHead(visit, address);
    if (address.rest.length === 0) return showForm(visit, address, repository);
    const range = parseComparison(address.rest.join('/'));
    if (!range) return throwNoPage();
    const [from, to] = [revisionNamed(repository, range.from), revisionNamed(repository, range.to)];
    return showComparison(visit, address, repository, { from, to });
  },
};
