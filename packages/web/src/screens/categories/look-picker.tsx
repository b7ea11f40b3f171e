import { useId, useState, type ReactElement, type ReactNode } from 'react';
import type { Look } from '../../books/looks.ts';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { categoriesTexts } from '../../texts/en/categories.ts';

const { look: t } = categoriesTexts;

/** The colours to choose from: white is readable on each, and each is seen on light and on dark paper. */
const palette: Readonly<Record<keyof typeof t.colours, string>> = {
  ...{ red: '#cd3b30', orange: '#b55414', ochre: '#95680c', olive: '#6b771e', green: '#2b8040' },
  ...{ teal: '#167e75', sky: '#1377aa', blue: '#3a6bd5', violet: '#7a5ec9', purple: '#a946b8' },
  ...{ pink: '#c9327e', grey: '#65727c' },
};

/** Chooses the symbol and the colour of a category, each of which can be none. */
export function LookPicker(props: {
  readonly name: string;
  readonly look: Look;
  readonly onChange: (part: Partial<Look>) => void;
}): ReactElement {
  const { name, look, onChange } = props;
  const { icon, colour } = look;
  return (
    <>
      <Choices
        label={t.icon}
        values={[null, ...Object.keys(t.symbols)]}
        chosen={icon}
        nameOf={(value) => (value === null ? t.letter : ((t.symbols as Names)[value] ?? value))}
        show={(value) => <CategoryMark name={name} look={{ icon: value, colour }} />}
        onChange={(value) => onChange({ icon: value })}
      />
      <Choices
        label={t.colour}
        values={[null, ...Object.values(palette)]}
        chosen={colour}
        nameOf={(value) => (value === null ? t.noColour : colourNameOf(value))}
        show={(value) => <CategoryMark name={name} look={{ icon, colour: value }} />}
        onChange={(value) => onChange({ colour: value })}
      />
    </>
  );
}

type Names = Readonly<Record<string, string | undefined>>;

function colourNameOf(value: string): string {
  const keys = Object.keys(palette) as (keyof typeof palette)[];
  const key = keys.find((each) => palette[each] === value);
  return key === undefined ? value : t.colours[key];
}

/** One of some pictures, as radio buttons. What is chosen at first is there even if it is none of them. */
function Choices(props: {
  readonly label: string;
  readonly values: readonly (string | null)[];
  readonly chosen: string | null;
  readonly nameOf: (value: string | null) => string;
  readonly show: (value: string | null) => ReactNode;
  readonly onChange: (value: string | null) => void;
}): ReactElement {
  const { label, values, chosen, nameOf, show, onChange } = props;
  const group = useId();
  const [first] = useState(chosen);
  return (
    <fieldset className="look-choices">
      <legend className="label">{label}</legend>
      {[...new Set([...values, first])].map((value) => (
        <label key={value} title={nameOf(value)}>
          <input
            type="radio"
            className="hidden"
            name={group}
            aria-label={nameOf(value)}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          {show(value)}
        </label>
      ))}
    </fieldset>
  );
}
