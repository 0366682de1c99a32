// Small pictures of figures: bars and curves as SVG, drawn from the same numbers as the table.

import { writeFileSync } from 'node:fs';

export interface Plot {
  /** The file's name in docs/images. */
  name: string;
  title: string;
  svg: string;
}

const [width, labelWidth, right, top, rowHeight] = [720, 210, 70, 34, 24];
const colours = ['#0f62fe', '#b54708', '#1a7f37', '#8250df', '#cf222e', '#57606a'];

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const words = (x: number, y: number, text: string, style = ''): string => `<text x="${x}" y="${y}" ${style}>${escape(text)}</text>`;

/** The ground is white in the file itself: a page in the dark shows it the same. */
const picture = (height: number, title: string, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1f2328" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="#fff"/>`,
    words(12, 20, title, 'font-weight="600" font-size="13"'),
    ...parts,
    '</svg>\n',
  ].join('\n');

export interface Bar {
  label: string;
  value: number;
  /** The figure as it is written beside its bar. */
  text: string;
}

/** Bars of one unit, from zero to the largest. */
export function bars(name: string, title: string, rows: readonly Bar[]): Plot {
  const most = Math.max(...rows.map(({ value }) => value));
  const parts = rows.flatMap(({ label, value, text }, i) => {
    const y = top + i * rowHeight;
    const long = Math.max(1, Math.round(((width - labelWidth - right) * value) / most));
    return [
      words(labelWidth - 8, y + 15, label, 'text-anchor="end"'),
      `<rect x="${labelWidth}" y="${y + 4}" width="${long}" height="14" rx="2" fill="${colours[0]}"/>`,
      words(labelWidth + long + 6, y + 15, text),
    ];
  });
  return { name, title, svg: picture(top + rows.length * rowHeight + 10, title, parts) };
}

export interface Curve {
  label: string;
  values: readonly number[];
}

/** Curves over the same steps, from zero; `limit` is drawn as a dashed line. */
export function curves(
  name: string,
  title: string,
  steps: readonly string[],
  lines: readonly Curve[],
  limit: { value: number; text: string },
): Plot {
  const [bottom, edge] = [top + 200, width - labelWidth - right];
  const most = Math.max(limit.value, ...lines.flatMap(({ values }) => values)) * 1.05;
  const x = (step: number): number => 48 + Math.round((edge * step) / (steps.length - 1));
  const y = (value: number): number => Math.round((bottom - (value / most) * (bottom - top)) * 10) / 10;
  // Names at the right end are kept apart, since most curves end beside each other.
  const ends = lines.map(({ label, values }, i) => ({ label, i, at: y(values.at(-1)!) })).sort((a, b) => a.at - b.at);
  ends.forEach((end, i) => (end.at = i === 0 ? Math.max(top, end.at - ends.length * 5) : Math.max(end.at, ends[i - 1]!.at + 15)));
  const colour = (i: number): string => colours[i % colours.length]!;
  const parts = [
    `<path d="M48 ${top}V${bottom}H${x(steps.length - 1)}" fill="none" stroke="#8c959f"/>`,
    `<path d="M48 ${y(limit.value)}H${x(steps.length - 1)}" stroke="#57606a" stroke-dasharray="4 4"/>`,
    words(54, y(limit.value) - 5, limit.text),
    words(40, y(1) + 4, '1 ×', 'text-anchor="end"'),
    ...steps.map((step, i) =>
      words(x(i), bottom + 18, step, `text-anchor="${i === 0 ? 'start' : i === steps.length - 1 ? 'end' : 'middle'}"`),
    ),
    ...lines.map(
      ({ values }, i) =>
        `<path d="${values.map((value, step) => `${step === 0 ? 'M' : 'L'}${x(step)} ${y(value)}`).join('')}" fill="none" stroke="${colour(i)}" stroke-width="1.5"/>`,
    ),
    ...ends.map(({ label, i, at }) => words(x(steps.length - 1) + 10, at + 4, label, `fill="${colour(i)}"`)),
  ];
  return { name, title, svg: picture(Math.max(bottom + 32, (ends.at(-1)?.at ?? 0) + 16), title, parts) };
}

export function writePlots(folder: URL, plots: readonly Plot[]): void {
  for (const { name, svg } of plots) writeFileSync(new URL(name, folder), svg);
}
