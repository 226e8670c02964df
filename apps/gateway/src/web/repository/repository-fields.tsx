import { area, check, text } from '../form/form-schema.tsx';

const onlyMembers = 'Only users with a level on it can see it.';

/** The full name of a repository that is created or forked. */
export const fullName = (label: string, props: { readonly autofocus?: boolean } = {}) =>
  text({
    label,
    required: true,
    maxlength: 255,
    hint: (
      <>
        For example <code>group/subgroup/name</code>. Missing groups are created.
      </>
    ),
    ...props,
  });

export const description = area({ label: 'Description' });

export const landingRevision = text({
  label: 'Landing revision',
  hint: (
    <>
      The branch, tag or bookmark that pages show first. A kind before the name, as in <code>branch:2</code>,{' '}
      <code>tag:2</code> or <code>book:2</code>, tells it from a number and from others of that name.
    </>
  ),
});

export const isPrivate = check({ label: 'Private', hint: onlyMembers });

export const isPrivateFork = check({
  label: 'Private',
  hint: `${onlyMembers} A fork of a private repository is always private unless you administer that repository.`,
});

export const enableDownloads = check({ label: 'Offer archives for download' });

const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Returns the URL of a remote that a form may show again; empty for a URL with a password, and for any other text with
 * an `@`. A text without `//` is no such URL, although `ada:secret@host` can be read as one with the scheme `ada`.
 */
export function withoutPassword(address: string): string {
  if (!schemeAndHost.test(address) || !URL.canParse(address)) return address.includes('@') ? '' : address;
  return new URL(address).password === '' ? address : '';
}
