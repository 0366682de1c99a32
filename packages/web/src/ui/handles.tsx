/** Our own sentences, so that every handle in them can stand out. */
export function withHandles(sentence: string) {
  return sentence.split(/([\^@][A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)/).map((part, index) =>
    index % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key
      <b key={index} className="font-semibold">
        {part}
      </b>
    ) : (
      part
    ),
  );
}
