// Text as a QR code in a terminal, for somebody who holds a camera to it.

import { renderUnicodeCompact } from 'uqr';
import { applyStyle } from '../../output.ts';

export interface QrOption {
  qr?: true;
}

/** Lines of half blocks, with a line end after the last. Empty where nobody would see it, or only a broken one. */
export function qrOf(text: string, { qr }: QrOption, stream: NodeJS.WriteStream = process.stdout): string {
  if (qr !== true && !stream.isTTY) return '';
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n');
  if (qr !== true && lines[0]!.length > (stream.columns || Infinity)) return '';
  // The colours are fixed, because some cameras read no code that a light terminal shows inverted.
  return `${lines.map((line) => applyStyle(['whiteBright', 'bgBlack'], line, stream)).join('\n')}\n`;
}
