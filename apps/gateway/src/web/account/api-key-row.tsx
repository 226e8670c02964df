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

function Expiry({ apiKey: { expires, expired } }: Pick<Props, 'apiKey'>) {
  if (expires === null) return <span>never expires</span>;
  return (
    <span>
      {expired ? 'expired' : 'expires'} <When date={expires} />
    </span>
  );
}

/** Renders one API key with its details and a button that revokes it or, for the built-in key, resets it. */
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
        consequence="Programs can no longer use this key"
        name={builtin ? 'del_api_key_builtin' : 'del_api_key'}
      />
    </>
  );
}
