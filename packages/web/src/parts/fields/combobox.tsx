import { useEffect, useId, useLayoutEffect, useRef, useState, useMemo } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode, RefObject } from 'react';
import { fold, matching, type Named } from '../../books/filter/matching.ts';
import type { Category } from '../../books/types.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { placeBelow } from '../overlays/dialog.tsx';

/** An option of a combobox. */
export interface Option extends Named {
  readonly id: number | string;
  /** What the list shows; the name by default. */
  readonly content?: ReactNode;
}

/** A field that chooses one of many options by typing some letters. */
export interface ComboboxProps<Item extends Option> {
  readonly label: string;
  readonly options: readonly Item[];
  /** The text while nothing is typed. */
  readonly text?: string;
  readonly placeholder?: string | undefined;
  /** Called by Enter, Tab or a click; with null for Enter in an empty field. */
  readonly onChoose: (option: Item | null) => void;
  /** Called by Esc, and when the field loses the focus. */
  readonly onCancel?: () => void;
  /** Called with each text that is typed. */
  readonly onType?: (text: string) => void;
  /** Creates an option with a name that none has; it is offered as the last one. */
  readonly onCreate?: ((name: string) => void) | undefined;
  /** Called by Enter with a text that fits no option; by default nothing happens. */
  readonly onOther?: (text: string) => void;
  readonly hasFocus?: boolean;
  /** The list has a place of its own below the field, instead of lying over what follows. */
  readonly isListFixed?: boolean;
  /** Said when no option fits. */
  readonly nothing?: string;
}

/** What is typed, and what of the list it finds. */
interface State<Item> {
  readonly text: string;
  readonly isOpen: boolean;
  readonly shown: readonly Item[];
  /** What Enter would choose. */
  readonly current: Item | undefined;
  readonly open: () => void;
  readonly type: (text: string) => void;
  readonly choose: (option: Item | null) => void;
  readonly leave: () => void;
  readonly press: (event: KeyboardEvent) => void;
}

const newId = 'new';

/** The option that creates one with a name, where that is possible and none has it. */
function newOptions<Item extends Option>(
  { options, onCreate }: ComboboxProps<Item>,
  name: string,
): Item[] {
  const isTaken = options.some((option) => fold(option.name) === fold(name));
  if (onCreate === undefined || name === '' || isTaken) return [];
  // It is never given to `onChoose`, so that it needs nothing but what every option has.
  return [{ id: newId, name, content: t.create(name) } as Option as Item];
}

function useChoice<Item extends Option>(props: ComboboxProps<Item>): State<Item> {
  const [given, setGiven] = useState(props.text ?? '');
  const [text, setText] = useState(given);
  const [hasTyped, setHasTyped] = useState(false);
  // A text from elsewhere replaces what was there, unless something is being typed.
  if ((props.text ?? '') !== given) {
    setGiven(props.text ?? '');
    if (!hasTyped) setText(props.text ?? '');
  }
  const [isOpen, setIsOpen] = useState(props.hasFocus ?? false);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      props.options.findIndex(({ name }) => name === props.text),
    ),
  );
  const found = matching(props.options, hasTyped ? text : '');
  const shown = hasTyped ? [...found, ...newOptions(props, text.trim())] : found;
  const current = shown[Math.min(active, shown.length - 1)];
  const choose = (option: Item | null): void => {
    setIsOpen(false);
    setHasTyped(false);
    setText(option?.name ?? '');
    if (option?.id === newId) props.onCreate?.(option.name);
    else props.onChoose(option);
  };
  const leave = (): void => {
    setIsOpen(false);
    props.onCancel?.();
  };
  const enter = (): void => {
    if (hasTyped && text.trim() === '') choose(null);
    else if (hasTyped && current === undefined) props.onOther?.(text.trim());
    else if (current !== undefined) choose(current);
  };
  const move = (step: number): void => {
    setIsOpen(true);
    setActive(Math.min(Math.max(active + (isOpen ? step : 0), 0), shown.length - 1));
  };
  const press = (event: KeyboardEvent): void => {
    const cancel = isOpen || props.onCancel !== undefined ? leave : null;
    if (!handle(event.key, { isOpen, hasTyped, enter, move, cancel })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (next: string): void => {
    setText(next);
    setHasTyped(true);
    setActive(0);
    setIsOpen(true);
    props.onType?.(next);
  };
  const open = (): void => setIsOpen(true);
  return { text, isOpen, shown, current, open, type, choose, leave, press };
}

/** A combobox as in the ARIA patterns: the focus stays in the field, the list shows what Enter would choose. */
export function Combobox<Item extends Option>(props: ComboboxProps<Item>): ReactElement {
  const { label, placeholder, hasFocus = false } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { text, isOpen, shown, current, open, type, choose, leave, press } = useChoice(props);
  useEffect(() => {
    if (!hasFocus) return;
    input.current?.focus();
    input.current?.select();
  }, [hasFocus]);
  const hasCurrent = isOpen && current !== undefined;
  return (
    <div className="combobox">
      <input
        ref={input}
        className="input"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={hasCurrent ? `${id}-${current.id}` : undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={({ currentTarget: { value } }) => type(value)}
        onClick={open}
        onKeyDown={press}
        onBlur={leave}
      />
      {isOpen && (
        <Options
          id={id}
          label={label}
          options={shown}
          current={current}
          field={props.isListFixed === true ? null : input}
          onChoose={choose}
        />
      )}
      {isOpen && shown.length === 0 && props.nothing !== undefined && (
        <p className="hint" role="status">
          {props.nothing}
        </p>
      )}
    </div>
  );
}

interface Keys {
  readonly isOpen: boolean;
  readonly hasTyped: boolean;
  readonly enter: () => void;
  readonly move: (step: number) => void;
  readonly cancel: (() => void) | null;
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
};

/**
 * Acts on a key. Returns whether the field has no other use for it. Tab chooses and moves on; Enter in a closed list
 * sends the form.
 */
function handle(key: string, { isOpen, hasTyped, enter, move, cancel }: Keys): boolean {
  const step = steps[key];
  if (step !== undefined) move(step);
  else if (key === 'Enter' && (isOpen || hasTyped)) enter();
  else if (key === 'Escape' && cancel !== null) cancel();
  else {
    if (key === 'Tab' && isOpen && hasTyped) enter();
    return false;
  }
  return true;
}

/** A list of options below a field. */
export interface OptionsProps<Item extends Option> {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Item[];
  readonly current: Item | undefined;
  /** What the list is placed below; null where it has a place of its own. */
  readonly field: RefObject<HTMLInputElement | null> | null;
  readonly onChoose: (option: Item) => void;
}

/** The list of a combobox, in the top layer, so that no row or dialog cuts it off. */
export function Options<Item extends Option>(props: OptionsProps<Item>): ReactElement {
  const { id, label, options, current, field, onChoose } = props;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const [element, anchor] = [list.current, field?.current ?? null];
    if (element === null || anchor === null) return;
    element.showPopover();
    placeBelow(element, anchor.getBoundingClientRect());
  }, [field]);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={field === null ? 'options fixed' : 'options'}
      popover={field === null ? undefined : 'manual'}
    >
      {options.map((option) => (
        <li
          key={option.id}
          id={`${id}-${option.id}`}
          role="option"
          aria-selected={option === current}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          {option.content ?? option.name}
        </li>
      ))}
    </ul>
  );
}

/** A category as the picker needs it. */
export type PickedCategory = Pick<Category, 'id' | 'name' | 'is_group' | 'group_id' | 'archived'>;

/** Chooses a category by two or three letters and Enter. Groups and archived categories cannot be chosen. */
export function CategoryPicker(props: {
  readonly label: string;
  readonly categories: readonly PickedCategory[];
  /** The id of the present category; null for none. */
  readonly categoryId: number | null;
  readonly placeholder?: string | undefined;
  /** Called with the id of the chosen category; with null for none. */
  readonly onChoose: (categoryId: number | null) => void;
  readonly onCreate?: ((name: string) => void) | undefined;
  readonly onCancel?: () => void;
  readonly hasFocus?: boolean;
}): ReactElement {
  const { categories, categoryId, onChoose, ...rest } = props;
  const options = useMemo(() => optionsOf(categories), [categories]);
  const text = categories.find(({ id }) => id === categoryId)?.name ?? '';
  return (
    <Combobox
      {...rest}
      options={options}
      text={text}
      onChoose={(option) => onChoose(option === null ? null : option.id)}
    />
  );
}

function optionsOf(categories: readonly PickedCategory[]) {
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  return categories
    .filter((category) => !category.is_group && !category.archived)
    .map(({ id, name, group_id: groupId }) => {
      const context = names.get(groupId ?? -1) ?? '';
      const content = (
        <>
          {name}
          {context !== '' && <span className="context">{context}</span>}
        </>
      );
      return { id, name, context, content };
    });
}
