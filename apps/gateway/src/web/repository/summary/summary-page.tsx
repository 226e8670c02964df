import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { EmptyRepository } from './empty-repository.tsx';
import { LatestChangesets } from './latest-changesets.tsx';
import { readReadme } from './read-readme.ts';
import { ReadmePanel } from './readme-panel.tsx';
import { RepositoryFacts } from './repository-facts.tsx';

const changesetsMax = 10;

async function read(visit: Visit, repository: RepositoryHead) {
  const args = { repoid: repository.repo_id, reverse: true, limit: changesetsMax };
  const [changesets, readme] = await Promise.all([
    visit.worker.call('get_changesets', args),
    readReadme(visit, repository),
  ]);
  return { changesets, readme };
}

export const summaryPage: RepositoryPage = withoutRest({
  view: 'SummaryController:index',
  async get(visit, address) {
    const repository = await readHead(visit, address);
    const { changesets, readme } = await read(visit, repository);
    return showRepositoryPage(visit, address, {
      title: 'Summary',
      tab: 'summary',
      repository,
      children: (
        <>
          <h2 class="visually-hidden">Summary</h2>
          <RepositoryFacts visit={visit} repository={repository} />
          {changesets.length === 0 ? (
            <EmptyRepository visit={visit} repository={repository} />
          ) : (
            <LatestChangesets name={repository.repo_name} changesets={changesets} />
          )}
          {readme && <ReadmePanel repository={repository} readme={readme} />}
        </>
      ),
    });
  },
});
