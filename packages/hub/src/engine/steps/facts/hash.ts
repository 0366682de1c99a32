// Names for what may be longer than a key of a table can be.

import { hash } from 'node:crypto';

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Itself, when it is short; no other has the same. */
export const shortKey = (text: string): string => (text.length <= 64 ? text : `sha256:${sha256(text)}`);
