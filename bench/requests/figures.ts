import { median, medianRatio } from '../pages.ts';
import type { Figure } from '../report/figure.ts';
import type { Samples } from '../measure/turns.ts';

/** Returns the figures of the requests: shares of a bare Node server, and times. */
export function figuresOf(samples: Samples): Figure[] {
  const of = (name: string): readonly number[] => samples.get(name) ?? [];
  const share = (name: string, bare: string, goal?: number): Figure => ({
    name: `requests: ${name}`,
    value: medianRatio(of(bare), of(name)),
    unit: 'of a bare response',
    ...(goal !== undefined && { atLeast: goal }),
  });
  const times = (name: string, above: string, below: string, goal: number): Figure => ({
    ...{ name: `requests: ${name}`, value: medianRatio(of(above), of(below)), unit: 'times' },
    atMost: goal,
  });
  return [
    share('list of 1', 'bare list of 1', 0.08),
    share('list of 100', 'bare list of 100', 0.08),
    share('me', 'bare list of 1', 0.15),
    share('page of v1 at 0', 'bare page of v1'),
    times('page of v1 at 90,000 against at 0', 'page of v1 at 90,000', 'page of v1 at 0', 1.3),
    share('repeated page', 'bare page', 0.4),
    times('repeated page, gzip against plain', 'repeated page, gzip', 'repeated page', 1.2),
    times('page, gzip against plain', 'page, gzip', 'page at 0', 4),
    ...[...samples].map(([name, values]) => ({
      name: `requests: processor time, ${name}`,
      value: median(values),
      unit: 'ms',
    })),
  ];
}
