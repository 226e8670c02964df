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
