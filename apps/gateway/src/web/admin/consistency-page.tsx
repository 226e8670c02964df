import type { ConsistencyRecord } from '@trunkline/contracts';
import { RefusalText } from '../form/fields.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { When } from '../layout/inline.tsx';
import { shownLines, shownText } from '../render/shown-text.ts';
import type { Visitor } from '../identify.ts';
import { adminForm, noObject } from './admin-form.ts';

type Finding = ConsistencyRecord['findings'][number];

const path = adminPath('consistency');

function FindingRow({ finding }: { finding: Finding }) {
  const { kind, name, path: storagePath, storage, operation_id: operation, since, msg, repair } = finding;
  return (
    <li>
      <div class="title">
        <strong>{kind.replaceAll('_', ' ')}</strong>
        {name !== null && <span>{shownText(name)}</span>}
        {repair === null && <span class="badge warn">no repair</span>}
      </div>
      <p>{shownLines(msg)}</p>
      {repair !== null && <p>A repair {repair}.</p>}
      <p class="meta">
        {storagePath !== null && <code>{shownText(storagePath)}</code>}
        {storage !== null && <span>storage {shownText(storage)}</span>}
        {operation !== null && <span>operation {operation}</span>}
        {since !== null && (
          <span>
            since <When date={since} />
          </span>
        )}
      </p>
    </li>
  );
}

function Findings({ report: { findings, truncated } }: { report: ConsistencyRecord }) {
  if (findings.length === 0) return <p>No inconsistencies found.</p>;
  return (
    <>
      <ul class="plain rows">
        {findings.map((finding) => (
          <FindingRow finding={finding} />
        ))}
      </ul>
      {truncated && <p class="soft">Not all findings are shown.</p>}
    </>
  );
}

function RepairForm({ visitor }: { visitor: Visitor }) {
  return (
    <>
      <p>Repairs the findings as described in each of them. Findings without a repair are not changed.</p>
      <form method="post" action={path}>
        <CsrfField visitor={visitor} />
        <button>Repair</button>
      </form>
    </>
  );
}

/** The page of the consistency report, with a button that makes the safe repairs. */
export const consistencyPage = adminForm({
  pageName: 'SettingsController:settings_consistency',
  readObject: noObject,
  async show(visit, _, refusal) {
    const report = await visit.worker.call('get_consistency_report');
    const children = (
      <>
        <p>Inconsistencies between the database, the storage, the operations and the audit log, and unfinished work.</p>
        <RefusalText refusal={refusal} />
        {report.away && (
          <p class="error" role="alert">
            Storages that did not answer, and were not checked: {report.away.join(', ')}.
          </p>
        )}
        {report.findings.some(({ repair }) => repair !== null) && <RepairForm visitor={visit.visitor} />}
        <Findings report={report} />
      </>
    );
    return showAdminPage(visit, { section: 'consistency', status: refusal?.status ?? 200, children });
  },
  async submit({ worker }) {
    const { findings } = await worker.call('get_consistency_report', { repair: true });
    const repaired = findings.filter((finding) => finding.repaired).length;
    return seeOther(path, noticeCookie(`Repaired ${repaired} of ${findings.length} findings.`));
  },
});
