import { sizeText, type StorageRecord } from '@trunkline/contracts';
import { RefusalText, SelectField, TextField } from '../form/fields.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { When } from '../layout/inline.tsx';
import type { Visit } from '../visit.ts';
import { adminForm, noObject } from './admin-form.ts';

const path = adminPath('storages');

const states: Record<StorageRecord['state'], string> = {
  active: 'active',
  draining: 'draining: takes no new repositories, and its own are moved away',
  'read-only': 'read-only: its repositories cannot be changed',
  offline: 'offline: its workers are away',
  lost: 'lost: its bytes are gone',
};

const maintenanceChoices = { on: 'on: files are packed when it is time', off: 'paused' };

interface Props {
  readonly visit: Visit;
  readonly storage: StorageRecord;
  /** Number of workers that answer; null while that is unknown. */
  readonly workers: number | null;
  /** Whether the form of this storage was refused, and shows what was sent. */
  readonly isRefused: boolean;
}

function StorageForm({ visit: { visitor, form }, storage, isRefused }: Props) {
  const { state, weight, maintenance } = storage;
  return (
    <form method="post" action={path} class="stacked">
      <CsrfField visitor={visitor} />
      <SelectField label="State" name="state" value={isRefused ? (form.get('state') ?? '') : state} choices={states} />
      <TextField
        label="Weight"
        name="weight"
        value={isRefused ? (form.get('weight') ?? '') : String(weight)}
        hint="Share of new repositories, beside the free space: 0 for none."
      />
      <SelectField
        label="Maintenance"
        name="maintenance"
        value={isRefused ? (form.get('maintenance') ?? '') : maintenance ? 'on' : 'off'}
        choices={maintenanceChoices}
      />
      <button name="storage" value={storage.name}>
        Save<span class="visually-hidden"> {storage.name}</span>
      </button>
    </form>
  );
}

function shownSize(bytes: number | null): string {
  return bytes === null ? 'unknown' : sizeText(bytes);
}

function Storage(props: Props) {
  const { name, state, repositories, repository_bytes, free_bytes, capacity_bytes, seen_at, moving } = props.storage;
  return (
    <section>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>Repositories</dt>
        <dd>
          {repositories}, {shownSize(repository_bytes)}
          {moving > 0 && `, of which ${moving} are being moved away`}
        </dd>
        <dt>Free space</dt>
        <dd>
          {shownSize(free_bytes)} of {shownSize(capacity_bytes)}
        </dd>
        <dt>Workers</dt>
        <dd>{props.workers ?? 'unknown'}</dd>
        <dt>Last seen by a worker</dt>
        <dd>{seen_at === null ? 'never' : <When date={seen_at} />}</dd>
      </dl>
      {state === 'lost' && repositories > 0 && (
        <p>
          Its repositories are listed on the page of <a href={adminPath('consistency')}>consistency</a>.
        </p>
      )}
      <StorageForm {...props} />
    </section>
  );
}

/** The page of the storages: what each holds, and its state and weight. */
export const storagesPage = adminForm({
  pageName: 'SettingsController:settings_storages',
  readObject: noObject,
  async show(visit, _, refusal) {
    const storages = await visit.worker.call('get_storages');
    const workers = await Promise.all(storages.map(({ name }) => visit.countWorkers(name)));
    const refused = refusal && visit.form.get('storage');
    const children = (
      <>
        <p>Directories that hold the bytes of repositories, each served by one or several workers.</p>
        <RefusalText refusal={refusal} />
        {storages.map((storage, index) => (
          <Storage
            visit={visit}
            storage={storage}
            workers={workers[index] ?? null}
            isRefused={refused === storage.name}
          />
        ))}
      </>
    );
    return showAdminPage(visit, { section: 'storages', status: refusal?.status ?? 200, children });
  },
  async submit({ worker, form }) {
    const storage = form.get('storage') ?? '';
    const args = { state: form.get('state'), weight: form.get('weight')?.trim(), maintenance: form.get('maintenance') };
    await worker.call('update_storage', { storage, ...args });
    return seeOther(path, noticeCookie(`The storage ${storage} is saved.`));
  },
});
