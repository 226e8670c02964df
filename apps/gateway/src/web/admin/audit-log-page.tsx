import type { AuditRecord } from '@trunkline/contracts';
import { RefusalText, SelectField } from '../form/fields.tsx';
import { WithCode } from '../layout/inline.tsx';
import { rerenderOnError, type Refusal } from '../form/form-route.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import type { PageRoute } from '../page-route.ts';
import { shownText } from '../render/shown-text.ts';
import { Pager, sentQuery } from '../layout/list-controls.tsx';
import type { Visit } from '../visit.ts';

const outcomes = { '': 'any', running: 'running', succeeded: 'succeeded', failed: 'failed' };
const texts = [
  ['userid', 'Username', 'text'],
  ['method', 'Method', 'text'],
  ['start_date', 'From', 'date'],
  ['end_date', 'Until', 'date'],
] as const;

interface Props {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
}

function AuditLogFilter({ path, filter }: Props) {
  return (
    <form method="get" action={path} class="inline" role="search">
      {texts.map(([name, label, type]) => (
        <label>
          {label}
          <input name={name} type={type} value={filter[name] ?? ''} maxlength={255} autocomplete="off" />
        </label>
      ))}
      <SelectField label="Outcome" name="outcome" value={filter['outcome'] ?? ''} choices={outcomes} />
      <button class="plain">Filter</button>
      {Object.keys(filter).length > 0 && <a href={path}>Show all</a>}
    </form>
  );
}

const path = adminPath('audit_log');
const limit = 100;
/** The filter's query parameters, named as arguments of `get_audit_log`. */
const filterNames = ['userid', 'method', 'start_date', 'end_date', 'outcome'];
const badges = { running: 'badge warn', succeeded: 'badge good', failed: 'badge bad' } as const;

function Entry({ entry }: { entry: AuditRecord }) {
  const { date, username, ip_addr: address, method, args, outcome, error } = entry;
  return (
    <li>
      <div class="title">
        <code>{method}</code>
        <span class={badges[outcome]}>{outcome}</span>
      </div>
      {Object.keys(args).length > 0 && <pre class="arguments">{shownText(JSON.stringify(args))}</pre>}
      {error !== null && (
        <p class="bad-text">
          <WithCode text={shownText(error)} />
        </p>
      )}
      <p class="meta">
        <time class="nowrap" datetime={`${date}Z`}>
          {date.slice(0, 19).replace('T', ' ')} UTC
        </time>
        <span>by {username}</span>
        <span>from {address}</span>
      </p>
    </li>
  );
}

async function show(visit: Visit, entries: readonly AuditRecord[], refusal: Refusal | null): Promise<Response> {
  const { query } = visit;
  const filter = sentQuery(query, filterNames);
  const next = entries.length === limit ? String(entries.at(-1)?.audit_id) : null;
  const children = (
    <>
      <p>Calls that changed something or were refused, newest first.</p>
      <RefusalText refusal={refusal} />
      <AuditLogFilter path={path} filter={filter} />
      {entries.length === 0 && !refusal && <p class="soft">No entries found.</p>}
      <ul class="plain rows">
        {entries.map((entry) => (
          <Entry entry={entry} />
        ))}
      </ul>
      <Pager cursor={query.get('cursor') || null} next={next} path={path} query={filter} />
    </>
  );
  return showAdminPage(visit, { section: 'audit_log', status: refusal?.status ?? 200, children });
}

/** The page of the audit log, with a filter. */
export const auditLogPage: PageRoute = {
  pageName: 'AuditLogController:index',
  audience: 'administrators',
  get: (visit) =>
    rerenderOnError(
      async () => {
        const args = sentQuery(visit.query, [...filterNames, 'cursor']);
        return show(visit, await visit.worker.call('get_audit_log', { ...args, limit }), null);
      },
      (refusal) => show(visit, [], refusal),
    ),
};
