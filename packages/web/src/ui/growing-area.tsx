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
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
}
