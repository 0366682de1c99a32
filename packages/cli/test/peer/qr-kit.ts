// Reads a QR code from the half blocks of a terminal, as a camera would.

import jsQR from 'jsqr';

const scale = 4;
const upper = new Set(['█', '▀']);
const lower = new Set(['█', '▄']);

/** The text of the code in the output, or undefined where it has none. */
export function scanned(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => /^[█▀▄ ]{20,}$/.test(line));
  const [width, height] = [(lines[0]?.length ?? 0) * scale, lines.length * 2 * scale];
  if (width === 0) return undefined;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const row = Math.floor(y / scale);
      const cell = lines[Math.floor(row / 2)]![Math.floor(x / scale)]!;
      const isLight = (row % 2 === 0 ? upper : lower).has(cell);
      pixels.fill(isLight ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  return (jsQR as unknown as typeof jsQR.default)(pixels, width, height)?.data;
}
