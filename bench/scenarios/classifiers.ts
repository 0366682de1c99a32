// How often each classifier is right on the kept part of its corpus. Counted and not timed: any machine finds the same.

import { type ClassifierName, classifiers as all, measure, rates } from '../../packages/core/test/corpora.ts';
import type { Scenario } from '../kit.ts';
import { bars } from '../plot.ts';
import { percent } from '../stats.ts';

export const classifiers: Scenario = () => {
  const found = (Object.keys(all) as ClassifierName[]).map((name) => ({ name, ...rates(measure(name, 'kept')) }));
  const guard = found.find(({ name }) => name === 'isStuck')!;
  return Promise.resolve([
    {
      what: 'Exchanges that the loop guard ends without reason, of those that progress',
      result: percent(guard.mistaken),
      target: { text: '0', met: guard.mistaken === 0 },
      from: `precision ${percent(guard.precision)}, recall ${percent(guard.found)} on the kept part of the corpus`,
      plot: bars(
        'bench-precision.svg',
        'Precision and recall of the loop guard and the classifiers, kept cases',
        [guard, ...found.filter((one) => one !== guard)].flatMap(({ name, precision, found: recall }) => {
          const label = name === 'isStuck' ? 'loop guard' : name;
          return [
            { label: `${label}: precision`, value: precision, text: percent(precision) },
            { label: 'recall', value: recall, text: percent(recall) },
          ];
        }),
      ),
    },
  ]);
};
