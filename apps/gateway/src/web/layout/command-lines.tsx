interface Props {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Renders commands so that one click selects all of them, to be copied. */
export function CommandLines({ label, lines }: Props) {
  return (
    <pre class="copy" tabindex={0} role="group" aria-label={label}>
      {lines.join('\n')}
    </pre>
  );
}
