import type { ReactElement } from 'react';
import { fullColour, readableOn } from '../../books/categories/colours.ts';

/** A tag in its colours. Its text is black or white, so that it can be read on any background. */
export function TagChip(props: {
  readonly name: string;
  readonly text: string | null;
  readonly background: string | null;
}): ReactElement {
  const background = fullColour(props.background);
  const colours =
    background === null
      ? {}
      : { backgroundColor: background, color: readableOn(background), borderColor: 'transparent' };
  return (
    <span className="tag-chip" style={colours}>
      {props.name}
    </span>
  );
}
