import type { ApiKeyRecord } from '@trunkline/contracts';
import { ConfirmedButton } from '../form/confirmed-button.tsx';
import { When } from '../layout/when.tsx';
import { shownText } from '../render/text/shown-text.ts';
import type { Visitor } from '../visitor/visitor.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly apiKey: ApiKeyRecord;
}

function Expiry({ apiKey: { builtin, expires, expired } }: Pick<Props, 'apiKey'>) {
  if (expires === null) return <span>{builtin ? 'never expires' : 'good forever'}</span>;
  return (
    <span>
      {expired ? 'expired' : 'expires'} <When date={expires} />
    </span>
  );
}

/** One key with its details and actions. */
export function ApiKeyRow({ visitor, action, apiKey }: Props) {
  const { api_key: value, builtin, description, expired, created_on: created, last_used: lastUsed } = apiKey;
  const of = builtin ? 'the built-in key' : `the key ${description === '' ? value : description}`;
  return (
    <>
      <div class="title">
        <code class="key">{value}</code>
        {builtin && <span class="badge">built-in</span>}
        {expired && <span class="badge bad">expired</span>}
      </div>
      {description !== '' && <p class="description">{shownText(description)}</p>}
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
        consequence="Programs that use this key are refused from then on"
        name={builtin ? 'del_api_key_builtin' : 'del_api_key'}
      />
    </>
  );
}
