// The steps of the turn that is killed, and every point between two entries of its journal.

export interface Call {
  task: string;
  n: number;
  key: string;
  result: string;
}

/** Of each kind one, the plain one in the middle: it can be repeated by nobody. */
export const tools = [
  { name: 'look_up', readOnly: true },
  { name: 'order', readOnly: false, keyed: true },
  { name: 'send_letter', readOnly: false },
  { name: 'look_again', readOnly: true },
] as const;

export const plain = 2;

export const points: readonly string[] = [
  ...tools.flatMap((_, n) => [`before intend ${n}`, `after intend ${n}`, `called ${n}`, `before done ${n}`, `after done ${n}`]),
  'before intend word',
  'after intend word',
  'before progress',
  'after progress',
  'before done word',
  'after done word',
  'before answer',
  'after answer',
];
