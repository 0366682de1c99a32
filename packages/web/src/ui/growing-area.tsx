import { useLayoutEffect } from 'react';
import type { ComponentProps, RefObject } from 'react';

interface Props extends ComponentProps<'textarea'> {
  ref: RefObject<HTMLTextAreaElement | null>;
}

/** A text field as tall as its text; its CSS says where that ends. */
export function GrowingArea({ ref, ...rest }: Props) {
  // After every drawing: what it holds, or how wide it is, may have changed.
  useLayoutEffect(() => fit(ref.current));
  return <textarea ref={ref} rows={1} {...rest} />;
}

function fit(field: HTMLTextAreaElement | null) {
  const around = field?.parentElement;
  if (!field || !around) return;
  // Held while it is measured: were all to shrink for a moment, the list above would be scrolled away from its end.
  around.style.minHeight = `${around.offsetHeight}px`;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  around.style.minHeight = '';
}
