import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { keys } from '../../api/keys.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields/fields.tsx';
import { Dialog, OpenButton } from '../../parts/overlays/dialog.tsx';
import { partTexts as t } from '../../texts/en/parts.ts';
import { Loaded, type Reading } from '../flow/loaded.tsx';
import { Confirmed } from '../flow/submitting.tsx';

/** Returns what writes: afterwards the lists of the settings and the session are read again. */
export function useWrite(): <T>(write: () => Promise<T>) => Promise<T> {
  const cache = useQueryClient();
  return async (write) => {
    // Not after a failure: while the server cannot be reached, the failure would wait for it.
    const written = await write();
    await cache.invalidateQueries({ queryKey: keys.settings });
    await cache.invalidateQueries({ queryKey: keys.session });
    return written;
  };
}

/** Records of one kind. */
export interface RecordSectionProps<T> {
  readonly name: string;
  readonly title: string;
  readonly hint: string;
  /** The button next to the title. */
  readonly action: ReactNode;
  /** What is said between title and list. */
  readonly note?: ReactNode;
  readonly query: Reading<readonly T[]>;
  /** What is said in place of the list when it is empty. */
  readonly empty: ReactNode;
  /** The line of a record, an `li` with a key. */
  readonly line: (record: T) => ReactElement;
  /** Dialogs. */
  readonly children?: ReactNode;
}

/** A part of the settings that lists records. */
export function RecordSection<T>(props: RecordSectionProps<T>): ReactElement {
  const { name, title, hint, action, note, query, empty, line, children } = props;
  return (
    <section className="card stack" aria-labelledby={name}>
      <div className="section-head">
        <div>
          <h2 id={name}>{title}</h2>
          <p className="hint">{hint}</p>
        </div>
        {action}
      </div>
      {note}
      <Loaded query={query} lines={2}>
        {(all) => (all.length === 0 ? empty : <ul className="records">{all.map(line)}</ul>)}
      </Loaded>
      {children}
    </section>
  );
}

/** A record of a list: its name with badges, what there is to say about it, and what can be done with it. */
export function RecordLine(props: {
  readonly name: ReactNode;
  readonly title?: string | undefined;
  readonly hint: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { name, title, hint, children } = props;
  return (
    <li>
      <div>
        <p className="record-name" title={title}>
          {name}
        </p>
        <p className="hint">{hint}</p>
      </div>
      {children}
    </li>
  );
}

/** A button that ends or removes a record, once a person confirms it. */
export function EndButton(props: {
  readonly label: string;
  /** What the button does, for screen readers. */
  readonly name: string;
  /** Of the dialog. */
  readonly title: string;
  readonly text: string;
  readonly work: () => Promise<unknown>;
}): ReactElement {
  const { label, name, title, text, work } = props;
  return (
    <OpenButton
      aria-label={name}
      dialog={(close) => (
        <Confirmed title={title} confirmLabel={label} work={work} onClose={close}>
          <p>{text}</p>
        </Confirmed>
      )}
    >
      {label}
    </OpenButton>
  );
}

/**
 * A new secret, which is shown once and can be copied. Without a secure context the browser copies nothing, so the text
 * is selected.
 */
export function NewSecret(props: {
  readonly texts: { readonly made: string; readonly madeHint: string; readonly done: string };
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
}): ReactElement {
  const { texts, label, value, onClose } = props;
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'shown' | 'copied' | 'selected'>('shown');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      field.current?.select();
      setState('selected');
    }
  };
  return (
    <Dialog title={texts.made} onClose={onClose}>
      <p>{texts.madeHint}</p>
      <div className="secret">
        <TextField
          ref={field}
          label={label}
          value={value}
          readOnly
          autoFocus
          spellCheck={false}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button
          look="main"
          icon={state === 'copied' ? 'check' : 'clip'}
          onClick={() => void copy()}
        >
          {t.copy}
        </Button>
        <p className="hint" role="status">
          {state !== 'shown' && t[state]}
        </p>
      </div>
      <div className="actions end">
        <Button onClick={onClose}>{texts.done}</Button>
      </div>
    </Dialog>
  );
}
