interface Author {
  readonly name: string;
  readonly email: string | null;
}

/**
 * Splits an author such as `Name <mail>`. The name of a bare address is the part of the address before the `@`; that of
 * an empty author is `unknown`.
 */
export function parseAuthor(author: string): Author {
  const open = author.lastIndexOf('<');
  if (open === -1) return nameAlone(author.trim());
  const close = author.indexOf('>', open);
  const email = author.slice(open + 1, close === -1 ? undefined : close).trim();
  // Old tools have written two brackets.
  const name = author.slice(0, author[open - 1] === '<' ? open - 1 : open).trim();
  if (name === '') return nameAlone(email);
  return { name, email: email === '' ? null : email };
}

function nameAlone(text: string): Author {
  const at = text.indexOf('@');
  if (at > 0) return { name: text.slice(0, at), email: text };
  return { name: text === '' ? 'unknown' : text, email: null };
}

interface MessageParts {
  /** The first line, which may be empty. */
  readonly about: string;
  /** The text after the first line, without empty lines around it. */
  readonly more: string;
}

/** Splits the message of a changeset into its first line and the rest. */
export function messageParts(message: string): MessageParts {
  const text = message.trim();
  const end = text.search(/[\r\n]/);
  return end === -1 ? { about: text, more: '' } : { about: text.slice(0, end).trimEnd(), more: text.slice(end).trim() };
}
