/** Renders a text, the parts between backticks as code. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}
