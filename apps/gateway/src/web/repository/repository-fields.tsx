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
  hint: 'The branch, tag or bookmark that pages show first.',
});

export const isPrivate = check({ label: 'Private', hint: onlyMembers });

export const isPrivateFork = check({
  label: 'Private',
  hint: `${onlyMembers} A fork of a private repository is always private unless you administer that repository.`,
});

export const enableDownloads = check({ label: 'Offer archives for download' });
