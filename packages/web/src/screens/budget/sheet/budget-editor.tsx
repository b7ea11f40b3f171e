import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { parseTypedAmount } from '../../../books/formats/money.ts';
import { Money } from '../../../parts/money.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import type { LineProps } from './props.ts';
import { sourceOf, typedOf } from './sheet-actions.ts';
import type { Source } from './sheet-actions.ts';

/** The field that edits a budget, with what can be copied into it. */
export function BudgetEditor(props: LineProps): ReactElement {
  const { row, actions } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { text, setText, problem, commit, press, close } = useTyped(props);
  const hasText = actions.edited?.text !== null;
  useEffect(() => {
    field.current?.focus();
    // A text that was begun with is continued; a present value is replaced by typing.
    if (!hasText) field.current?.select();
  }, [hasText]);
  return (
    <div className="editor">
      <input
        ref={field}
        className="input end"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
        aria-label={t.edit(row.name)}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : id}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onKeyDown={press}
        onBlur={() => commit(0, false)}
      />
      <div className="editor-more">
        {problem !== null && (
          <p className="problem" id={id} role="alert">
            {problem}
          </p>
        )}
        <Copies {...props} onAct={close} />
      </div>
    </div>
  );
}

/** What is typed, and how it is committed: with the number of rows to move on. */
function useTyped({ row, actions, focus }: LineProps) {
  const { locale } = usePreferences();
  const own = row.own;
  const shown = own === null ? '' : typedOf(own, locale);
  const begun = actions.edited?.text ?? shown;
  const [text, setText] = useState(begun);
  const [problem, setProblem] = useState<string | null>(null);
  // The field loses the focus when it closes, which must not commit again.
  const isDone = useRef(false);
  const commit = (rows: number, movesFocus: boolean): void => {
    if (isDone.current) return;
    const amount = parseTypedAmount(text, locale);
    if (amount === null && text.trim() !== '') {
      setProblem(t.invalid(text));
      return;
    }
    isDone.current = true;
    if (movesFocus) focus.moveFrom(row.id, rows);
    else actions.edit(null);
    if (text !== shown) actions.save(row, amount);
  };
  const press = (event: KeyboardEvent): void => {
    const rows = stepOf(event);
    if (rows === null && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (rows === null) {
      isDone.current = true;
      focus.moveFrom(row.id, 0);
    } else commit(rows, true);
  };
  const close = (): void => {
    isDone.current = true;
  };
  return { text, problem, commit, press, setText, close };
}

/** How many rows a key moves on when it commits; null for keys that do not commit. */
function stepOf({ key, shiftKey }: KeyboardEvent): number | null {
  if (key === 'ArrowDown') return 1;
  if (key === 'ArrowUp') return -1;
  if (key !== 'Enter' && key !== 'Tab') return null;
  return shiftKey ? -1 : 1;
}

/** Buttons that copy, for mouse and touch; keys do the same outside the field. */
function Copies(props: LineProps & { readonly onAct: () => void }): ReactElement {
  const { row, actions, focus, currency, onAct } = props;
  const sources: readonly [Source, string][] = [
    ['previous', t.copyPrevious],
    ['average', t.copyAverage],
  ];
  const act = (run: () => void): void => {
    onAct();
    focus.moveFrom(row.id, 0);
    run();
  };
  return (
    <div className="copies" onPointerDown={(event) => event.preventDefault()}>
      {sources.map(([source, label]) => {
        const budget = sourceOf(row, source, currency);
        if (budget === null) return null;
        return (
          <button
            key={source}
            type="button"
            tabIndex={-1}
            onClick={() => act(() => actions.copy(row, source))}
          >
            {label} <Money {...budget} />
          </button>
        );
      })}
      {row.own !== null && (
        <button type="button" tabIndex={-1} onClick={() => act(() => actions.save(row, null))}>
          {t.clear}
        </button>
      )}
    </div>
  );
}
