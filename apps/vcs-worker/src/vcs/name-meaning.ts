import { parseFullName, parseRevision } from './revision.ts';
import type { Ref, SortedRefs } from './sorted-refs.ts';

/** What a text is taken for as a revision; null when it is nothing, so far as references tell. */
type TakenFor = 'tip' | 'id' | 'number' | 'full name' | Ref['kind'] | null;

export interface NameMeaning {
  readonly takenFor: TakenFor;
  /** The references of that name that the text is not taken for. */
  readonly others: readonly Ref[];
  /** The digits with which the id of a changeset may begin that the text, a name, is not taken for. */
  readonly prefix: string | null;
}

/** Kinds of references in the order in which a name is looked for among them. */
const kinds = { git: ['branch', 'tag'], hg: ['bookmark', 'branch', 'tag'] } as const;

/** Returns what a text is taken for as a revision, and what else has it as a name. */
export function meaningOf(type: 'git' | 'hg', text: string, refs: SortedRefs): NameMeaning {
  const named = kinds[type].flatMap((kind) => refs.find(kind, text) ?? []);
  const revision = parseRevision(text);
  if (revision && revision.kind !== 'name') return { takenFor: revision.kind, others: named, prefix: null };
  const full = parseFullName(type, text);
  if (full && refs.find(full.kind, full.name)) return { takenFor: 'full name', others: named, prefix: null };
  const [first, ...others] = named;
  return { takenFor: first?.kind ?? null, others, prefix: (first && revision?.prefix) ?? null };
}

/** Returns the longest name with a slash, also a full one, after which a text goes on with a slash; null for none. */
export function namedBeginning(type: 'git' | 'hg', text: string, refs: SortedRefs): string | null {
  for (let end = text.lastIndexOf('/'); end > 0; end = text.lastIndexOf('/', end - 1)) {
    const beginning = text.slice(0, end);
    if (!beginning.includes('/')) return null;
    if (meaningOf(type, beginning, refs).takenFor !== null) return beginning;
  }
  return null;
}
