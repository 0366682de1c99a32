// Text as a QR code in a terminal, for a camera.

import { applyStyle } from '../../output.ts';
import { renderUnicodeCompact } from 'uqr';

export interface QrOption {
  qr?: true;
}

/** The code in half blocks. Without `--qr` it is empty if the output is no terminal, or too narrow for the code. */
export function qrOf(text: string, { qr }: QrOption, stream: NodeJS.WriteStream = process.stdout): string {
  if (qr !== true && !stream.isTTY) return '';
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n');
  if (qr !== true && lines[0]!.length > (stream.columns || Infinity)) return '';
  // The colours are fixed, because some cameras read no code that a light terminal shows inverted.
  return `${lines.map((line) => applyStyle(['whiteBright', 'bgBlack'], line, stream)).join('\n')}\n`;
}
