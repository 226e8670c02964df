import { TextField } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { noticeCookie } from '../../http/notice.ts';
import { CsrfField, seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import { hasBranches, type RepositoryHead } from '../repository-head.ts';
import { withoutRest, type PageAddress, type RepositoryPage } from '../repository-page.ts';
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
  pageName: 'ReposController:edit_default_branch',
  audience: 'users',
  get: (visit, address) => show(visit, address, null),
  post: (visit, address) =>
    rerenderOnError(
      () => change(visit, address),
      (refusal) => show(visit, address, refusal),
    ),
});
