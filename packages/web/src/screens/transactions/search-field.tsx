import {
  lazy,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from 'react';
import { flushSync } from 'react-dom';
import { usePayees } from '../../api/hooks.ts';
import { searchedIn, type Filter } from '../../books/filter/filter.ts';
import { suggestionsFor, unfinished, withoutTokens } from '../../books/filter/tokens.ts';
import type { SearchWords, Suggestion } from '../../books/filter/tokens.ts';
import type { Option } from '../../parts/fields/combobox.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePreferences, useToday } from '../../parts/preferences.ts';
import { searchWordTexts, transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Names } from '../flow/names.ts';

/** The list is needed only once something is typed. */
const Options = lazy(async () => {
  const parts = await import('../../parts/fields/combobox.tsx');
  return { default: parts.Options<Option & Pick<Suggestion, 'apply'>> };
});

/** How long to wait for the next letter of a search (ms). */
const typingMs = 120;
let typing: ReturnType<typeof setTimeout> | undefined;

/** The field for a search, which suggests what the last word could mean. */
export function SearchField(props: {
  readonly filter: Filter;
  readonly names: Names;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onFilter: (filter: Filter) => void;
}): ReactElement {
  const { filter, names, field, onFilter } = props;
  const id = useId();
  const words = useSearchWords();
  const [text, setText] = useState(filter.text);
  /** What this field has put into the filter. */
  const own = useRef(filter.text);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  useEffect(() => {
    // A filter from elsewhere replaces what was typed.
    if (filter.text === own.current) return;
    own.current = filter.text;
    setText(filter.text);
  }, [filter.text]);
  const suggestions = useSuggestions(isOpen ? text : '', names, words);
  const options = suggestions.map((each, at) => ({
    ...each,
    id: at,
    content: <Meaning of={each} />,
  }));
  const current = options[active];
  const finish = (next: Filter): void => {
    clearTimeout(typing);
    setIsOpen(false);
    setActive(-1);
    setText(next.text);
    own.current = next.text;
    onFilter(next);
  };
  useEffect(() => {
    // A link may have what only a person types.
    if (document.activeElement === field.current || names.categories.length === 0) return;
    const next = withoutTokens(filter, names, words);
    if (next.text !== filter.text) onFilter(next);
  });
  const type = (next: string): void => {
    setText(next);
    setActive(-1);
    setIsOpen(true);
    clearTimeout(typing);
    typing = setTimeout(() => {
      own.current = searchable(next, words);
      onFilter({ ...filter, text: own.current });
    }, typingMs);
  };
  const choose = ({ apply }: Pick<Suggestion, 'apply'>): void => {
    const at = unfinished(text, words)?.at ?? text.length;
    finish(apply({ ...filter, text: text.slice(0, at).trim() }));
  };
  const press = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'ArrowDown' && options.length > 0) setActive((active + 1) % options.length);
    else if (key === 'ArrowUp' && options.length > 0)
      setActive((active <= 0 ? options.length : active) - 1);
    else if (key === 'Enter' && current !== undefined) choose(current);
    else if (key === 'Escape' && options.length > 0) setIsOpen(false);
    else if (key === 'Enter' || key === 'Escape') {
      // The list of another search is another one, and there is none where nothing was found so far.
      flushSync(() => finish(withoutTokens({ ...filter, text: text.trim() }, names, words)));
      document.querySelector<HTMLElement>('[role="grid"]')?.focus();
    } else return;
    event.preventDefault();
  };
  const isShown = options.length > 0;
  return (
    <div className="search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        className="input"
        type="search"
        role="combobox"
        aria-label={t.search}
        aria-expanded={isShown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${id}-${current.id}`}
        autoComplete="off"
        placeholder={t.searchHint}
        value={text}
        onChange={({ currentTarget: { value } }) => type(value)}
        onKeyDown={press}
        onBlur={() => setIsOpen(false)}
      />
      <Suspense>
        {isShown && (
          <Options {...{ id, options, current, field }} label={t.search} onChoose={choose} />
        )}
      </Suspense>
    </div>
  );
}

/** A suggestion: what it is, and its name. */
function Meaning({ of: { kind, name } }: { readonly of: Suggestion }): ReactElement {
  return (
    <>
      <bdi>{name}</bdi>
      <span className="context">{t.suggested[kind]}</span>
    </>
  );
}

/** The words of a search that is being typed, without one that has a key and is not finished. */
function searchable(text: string, words: SearchWords): string {
  const last = unfinished(text, words);
  const hasKey = typeof last?.key === 'string';
  return (hasKey ? text.slice(0, last.at) : text).trim();
}

function useSuggestions(text: string, names: Names, words: SearchWords): readonly Suggestion[] {
  const today = useToday();
  const last = unfinished(text, words);
  const isPayee = last !== null && (last.key === null || last.key === 'payee');
  const typed = isPayee ? searchedIn(last.key === null ? text : last.value).words : '';
  const { data: payees = [] } = usePayees(typed, typed !== '');
  const categories = names.categories.filter(({ archived }) => !archived);
  const found = isPayee && typed !== '' ? payees.map(({ payee }) => payee) : [];
  return suggestionsFor(text, { ...names, categories }, found, words, today);
}

/** The words that a search knows, with the months of the locale. */
function useSearchWords(): SearchWords {
  const { locale } = usePreferences();
  const format = new Intl.DateTimeFormat(locale === '' ? undefined : locale, {
    month: 'long',
    timeZone: 'UTC',
  });
  const months = Array.from({ length: 12 }, (_each, at) => format.format(Date.UTC(2026, at, 1)));
  return { ...searchWordTexts, months };
}
