import type { ReactElement, ReactNode } from 'react';

/** A name of a legend. */
export interface LegendItem {
  readonly key: string;
  readonly name: ReactNode;
  /** 1 to 6: the colour and pattern of the chart. */
  readonly colour: number | 'rest';
}

/** What the colours of a chart mean. */
export function Legend({ items }: { readonly items: readonly LegendItem[] }): ReactElement {
  return (
    <ul className="chart-legend">
      {items.map(({ key, name, colour }) => (
        <li key={key}>
          <span className={`swatch colour-${colour}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}
