/** Errors are also for terminals, which mark words to type with backticks. */
export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p role="alert" className="rounded-lg bg-danger-soft px-3.5 py-2.5 text-sm text-danger">
      {text.replaceAll(/`([^`]+)`/g, '“$1”')}
    </p>
  );
}
