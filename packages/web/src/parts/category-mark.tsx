import type { ReactElement } from 'react';
import { colourOf, groundOf, letterOf, type Look } from '../books/looks.ts';
import { Icon } from './icon.tsx';

/** The symbol of a category in its colour, or its first letter. Hidden from screen readers: its name is next to it. */
export function CategoryMark(props: {
  /** Empty for what has no category. */
  readonly name: string;
  readonly look: Look | undefined;
}): ReactElement {
  const { icon = null, colour = null } = props.look ?? {};
  const isSymbol = icon !== null && document.getElementById(`i-c-${icon}`) !== null;
  // The style sheet shows the letter, so that what is copied or found in the page is the name alone.
  return (
    <span
      className="category-mark"
      data-letter={isSymbol ? undefined : letterOf(props.name, icon)}
      style={groundOf(colour)}
      aria-hidden="true"
    >
      {isSymbol && <Icon name={`c-${icon}`} />}
    </span>
  );
}

/** The first letter of an account or a payee, in a colour that is always the same for its name. */
export function LetterMark({ name }: { readonly name: string }): ReactElement {
  const letter = letterOf(name, null);
  const look = letter === '' ? '' : `colour-${colourOf(name)}`;
  return (
    <span className={`category-mark letter ${look}`} data-letter={letter} aria-hidden="true" />
  );
}
