import { TextField } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { noticeCookie } from '../../http/notice.ts';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import { hasBranches } from '../head/has-branches.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

interface FormProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly value: string;
}

function BranchForm({ visit, repository, value }: FormProps) {
  return (
    <form method="post" action={settingsPath(repository.repo_name, 'branch')} class="stacked">
      <CsrfField visitor={visit.visitor} />
      <TextField
        label="Branch"
        name="default_branch"
        value={value}
        maxlength={255}
        required
        hint="Clones check out this branch."
      />
      <button class="plain">Change</button>
    </form>
  );
}

async function show(visit: Visit, address: PageAddress, refusal: Refusal | null): Promise<Response> {
  const repository = await readForSettings(visit, address, 'branch');
  const value = (refusal && visit.form.get('default_branch')) ?? repository.default_branch ?? '';
  const children = hasBranches(repository) ? (
    <BranchForm visit={visit} repository={repository} value={value} />
  ) : (
    <p>Only a git repository that has branches has a default branch.</p>
  );
  return showSettings(visit, address, { section: 'branch', repository, refusal, children });
}

async function change({ worker, form }: Visit, { repoid, name }: PageAddress): Promise<Response> {
  const branch = form.get('default_branch') ?? '';
  await worker.call('update_repo', { repoid, default_branch: branch });
  return seeOther(settingsPath(name, 'branch'), noticeCookie(`The default branch is ${branch}.`));
}

/** The page of the branch that clients of git check out. It is for who may write, as the method is that changes it. */
export const branchPage: RepositoryPage = withoutRest({
  view: 'ReposController:edit_default_branch',
  audience: 'users',
  get: (visit, address) => show(visit, address, null),
  post: (visit, address) =>
    rerenderOnError(
      () => change(visit, address),
      (refusal) => show(visit, address, refusal),
    ),
});
