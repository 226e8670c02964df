import type { ApiKeyRecord } from '@trunkline/contracts';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../identify.ts';
import { pathTo } from '../http/path-segments.ts';
import { When } from '../layout/inline.tsx';
import { shownText } from '../render/shown-text.ts';

interface ConfirmedButtonProps {
  readonly visitor: Visitor;
  readonly action: string;
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of: string;
  /** The consequence of the action. */
  readonly consequence: string;
  readonly name: string;
  readonly value: string;
}

/**
 * Renders a button for an action that cannot be undone: the browser, but not the server, requires that the button is
 * unfolded and the action's consequence ticked.
 */
function ConfirmedButton({ visitor, action, label, of, consequence, name, value }: ConfirmedButtonProps) {
  return (
    <details class="confirmed">
      <summary>
        {label}… <span class="visually-hidden">{of}</span>
      </summary>
      <form method="post" action={action}>
        <CsrfField visitor={visitor} />
        <label>
          <input type="checkbox" name="confirmed" value="true" required />
          {consequence}
        </label>
        <button class="danger small" name={name} value={value}>
          {label}
        </button>
      </form>
    </details>
  );
}

interface ApiKeyRowProps {
  readonly visitor: Visitor;
  readonly action: string;
  readonly apiKey: ApiKeyRecord;
}

function Expiry({ apiKey: { expires, expired } }: Pick<ApiKeyRowProps, 'apiKey'>) {
  if (expires === null) return <span>never expires</span>;
  return (
    <span>
      {expired ? 'expired' : 'expires'} <When date={expires} />
    </span>
  );
}

const limits = { fetch: 'clone and fetch only', push: 'clone, fetch and push only' } as const;

/** Renders the repositories that a limited key is for. */
function Reach({ apiKey: { limited_to: limitedTo, repositories } }: Pick<ApiKeyRowProps, 'apiKey'>) {
  if (limitedTo === null) return null;
  if (repositories === null) return <p>For all repositories that the user may use.</p>;
  if (repositories.length === 0) return <p>For no repository that exists.</p>;
  return (
    <p>
      For{' '}
      {repositories.map(({ repo_id: id, repo_name: name }, at) => (
        <>
          {at > 0 && ', '}
          <a href={pathTo(`_${id}`)}>{shownText(name)}</a>
        </>
      ))}
    </p>
  );
}

/** Renders one API key with its details and a button that revokes it or, for the built-in key, resets it. */
export function ApiKeyRow({ visitor, action, apiKey }: ApiKeyRowProps) {
  const {
    api_key: value,
    builtin,
    description,
    expired,
    created_on: created,
    last_used: lastUsed,
    limited_to: limitedTo,
  } = apiKey;
  const of = builtin ? 'the built-in key' : `the key ${description === '' ? value : description}`;
  return (
    <>
      <div class="title">
        <code class="key">{value}</code>
        {builtin && <span class="badge">built-in</span>}
        {limitedTo !== null && <span class="badge">{limits[limitedTo]}</span>}
        {expired && <span class="badge bad">expired</span>}
      </div>
      {description !== '' && <p class="description">{shownText(description)}</p>}
      <Reach apiKey={apiKey} />
      <p class="meta">
        <Expiry apiKey={apiKey} />
        <span>
          created <When date={created} />
        </span>
        <span>
          {lastUsed === null ? (
            'never used'
          ) : (
            <>
              last used <When date={lastUsed} />
            </>
          )}
        </span>
      </p>
      <ConfirmedButton
        {...{ visitor, action, of, value }}
        label={builtin ? 'Reset' : 'Revoke'}
        consequence="Programs can no longer use this key"
        name={builtin ? 'del_api_key_builtin' : 'del_api_key'}
      />
    </>
  );
}
