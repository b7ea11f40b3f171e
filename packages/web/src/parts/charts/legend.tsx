import type { ReactElement, ReactNode } from 'react';

/** A name of a legend. */
export interface LegendItem {
  readonly key: string;
  readonly name: ReactNode;
  readonly colour: Colour;
}

/** 1 to 9, the same in pale from 10 to 18, or that of all others. */
export type Colour = number | 'rest';

const plainColours = 9;

/** The classes of a colour. */
export function colourLook(colour: Colour): string {
  return colour === 'rest' || colour <= plainColours
    ? `colour-${colour}`
    : `colour-${colour - plainColours} pale`;
}

/** What the colours of a chart mean. */
export function Legend({ items }: { readonly items: readonly LegendItem[] }): ReactElement {
  return (
    <ul className="chart-legend">
      {items.map(({ key, name, colour }) => (
        <li key={key}>
          <span className={`swatch ${colourLook(colour)}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}
