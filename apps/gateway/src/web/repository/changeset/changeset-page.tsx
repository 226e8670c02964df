import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { cutText } from '../../render/text/cut-text.ts';
import { messageParts } from '../../render/text/message-parts.ts';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { diffArgsOf } from '../content/diff-args.ts';
import { readHead } from '../head/repository-head.ts';
import { readRefsOf } from '../refs/changeset-refs.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { showNothingHere } from '../show-nothing.ts';
import { ChangesetDiff } from './changeset-diff.tsx';
import { ChangesetFacts, ChangesetHead } from './changeset-facts.tsx';
import { parseRange } from './changeset-range.ts';
import { diffUrls } from './diff-urls.ts';
import { renderPanels } from './render-panels.tsx';
import { showRange } from './range-page.tsx';
import { readDiff } from './read-diff.ts';

const titleCharsMax = 80;

async function read(visit: Visit, address: PageAddress) {
  const { repoid, revision, ...options } = diffArgsOf(visit, address);
  const { head, body } = await visit.worker.open('download_diff', { repoid, revision, ...options });
  // The revision may be a branch that moves meanwhile, so the changeset is read by the id in the diff's head.
  const [diff, changeset, refs] = await Promise.all([
    readDiff(body),
    visit.worker.call('get_changeset', { repoid, revision: head.rawId, with_file_list: true }),
    readRefsOf(visit, repoid, [head.rawId]),
  ]);
  return { changeset, refs: refs.get(head.rawId), diff, options };
}

export const changesetPage: RepositoryPage = {
  view: 'ChangesetController:index',
  async get(visit, address) {
    if (address.rest.length > 1) return showNothingHere();
    // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
    const repository = await readHead(visit, address);
    const range = parseRange(address.rest[0] ?? 'tip');
    if (range) return showRange(visit, address, repository, range);
    const { changeset, refs, diff, options } = await read(visit, address);
    const name = repository.repo_name;
    const about = shownText(cutText(messageParts(changeset.message).about, titleCharsMax));
    const urls = diffUrls(name, changeset.raw_id, options);
    const panels = await renderPanels({ repository: name, changesetId: changeset.raw_id, diff, urls });
    return showRepositoryPage(visit, address, {
      title: `${changeset.short_id}: ${about}`,
      tab: 'changelog',
      repository,
      children: (
        <>
          <ChangesetHead changeset={changeset} />
          <ChangesetFacts repository={name} changeset={changeset} refs={refs} />
          <ChangesetDiff changeset={changeset} diff={diff} urls={urls} panels={panels} />
        </>
      ),
    });
  },
};
