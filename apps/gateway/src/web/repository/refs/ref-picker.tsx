import { pathTo } from '../../http/path-segments.ts';
import { cutText, shownText } from '../../render/shown-text.ts';

interface Choice {
  readonly name: string;
  /** The full name, so that no number and no reference of another kind is shown instead. */
  readonly revision: string;
}

/** References to choose from, grouped by kind. */
export interface RevisionChoices {
  readonly groups: readonly { readonly label: string; readonly choices: readonly Choice[] }[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

const fullNames = [
  [/^(?:refs\/heads\/|branch:)(.+)$/s, 'branch'],
  [/^(?:refs\/tags\/|tag:)(.+)$/s, 'tag'],
  [/^book:(.+)$/s, 'bookmark'],
  [/^([0-9a-f]{12})[0-9a-f]{28}$/, 'changeset'],
  [/^([0-9]{1,11})$/, 'number'],
] as const;

/** Returns what a revision that is named in full is called, and of which kind it is. */
export function presentRevision(revision: string): { readonly kind: string; readonly name: string } {
  for (const [pattern, kind] of fullNames) {
    const [, name] = pattern.exec(revision) ?? [];
    if (name !== undefined) return { kind, name };
  }
  return { kind: 'revision', name: revision };
}

const nameCharsMax = 60;
/** References of a kind that are links; the others are suggestions for the field. */
const linksMax = 20;

interface Props {
  readonly repository: string;
  /** The present revision; a reference is named in full. */
  readonly chosen: string;
  readonly choices: RevisionChoices;
  /** The address that is sent the typed revision as `at`, with the parameters in `kept`. */
  readonly action: string;
  readonly kept: Readonly<Record<string, string>>;
  /** Returns the address of the same page at another revision. */
  readonly hrefOf: (revision: string) => string;
}

function Links({
  label,
  choices,
  chosen,
  hrefOf,
}: RevisionChoices['groups'][number] & Pick<Props, 'chosen' | 'hrefOf'>) {
  return (
    <details open={choices.some(({ revision }) => revision === chosen)}>
      <summary>{label}</summary>
      <ul class="plain">
        {choices.slice(0, linksMax).map(({ name, revision }) => (
          <li>
            <a href={hrefOf(revision)} {...(revision === chosen ? { 'aria-current': 'true' } : {})}>
              {shownText(cutText(name, nameCharsMax))}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Renders a control that names the present revision and, opened, shows the same page at another one. */
export function RefPicker({ repository, chosen, choices: { groups, isComplete }, action, kept, hrefOf }: Props) {
  const { kind, name } = presentRevision(chosen);
  const areAllLinks = isComplete && groups.every(({ choices }) => choices.length <= linksMax);
  return (
    <details class="ref-picker">
      <summary>
        <span class="soft">{kind}</span> <bdi>{shownText(cutText(name, nameCharsMax))}</bdi>
      </summary>
      <div class="choices">
        <form method="get" action={action}>
          <label for="at">Revision</label>
          <input id="at" name="at" list="revisions" required autocomplete="off" />
          <datalist id="revisions">
            {groups.flatMap(({ choices }) =>
              choices.map((choice) => <option value={choice.revision}>{shownText(choice.name)}</option>),
            )}
          </datalist>
          {Object.entries(kept).map(([field, value]) => (
            <input type="hidden" name={field} value={value} />
          ))}
          <button class="plain">Show</button>
        </form>
        <a href={hrefOf('tip')}>Newest changeset</a>
        {groups.map((group) => (
          <Links {...group} chosen={chosen} hrefOf={hrefOf} />
        ))}
        {!areAllLinks && (
          <p class="small">
            This list is incomplete. See all <a href={pathTo(repository, 'branches')}>branches</a> and{' '}
            <a href={pathTo(repository, 'tags')}>tags</a>
            {groups.some(({ label }) => label === 'Bookmarks') && (
              <>
                {' '}
                and <a href={pathTo(repository, 'bookmarks')}>bookmarks</a>
              </>
            )}
            .
          </p>
        )}
      </div>
    </details>
  );
}
