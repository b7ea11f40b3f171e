import { Fragment, useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { bounds } from '../../api/bounds.ts';
import { ApiError, describeError } from '../../api/errors.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryPicker, type PickedCategory } from '../../parts/fields/combobox.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import {
  AmountField,
  CheckField,
  Line,
  Segments,
  SelectField,
} from '../../parts/fields/fields.tsx';
import { TextField, type SelectOption } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { partTexts as t } from '../../texts/en/parts.ts';
import { useCreating } from './create.ts';
import { Confirmed, NotDone, useSubmitting } from './submitting.tsx';

/** How the value of a field is filled in; by default as a line of text. */
type Control =
  | {
      readonly kind?: 'text' | 'url' | 'password' | 'color' | 'number';
      readonly autoComplete?: string;
      readonly placeholder?: string;
      readonly className?: string;
    }
  | { readonly kind: 'date' }
  /** With `places` a quantity of so many decimals, without zeros at its end. */
  | { readonly kind: 'amount'; readonly currency: string; readonly places?: number }
  /** `fixed` is shown instead of the value, which then cannot be changed. */
  | { readonly kind: 'check'; readonly fixed?: boolean | undefined }
  | { readonly kind: 'choice'; readonly options: readonly SelectOption<Choice>[] }
  | { readonly kind: 'segments'; readonly options: Readonly<Record<string, string>> }
  | {
      readonly kind: 'category';
      readonly categories: readonly PickedCategory[];
      readonly placeholder?: string;
      /** Whether it has the focus at first. */
      readonly hasFocus?: boolean;
    };

/** A field of a form. Its bounds are those of the API document. */
export type Field<T> = Control & {
  readonly name: keyof T & string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The path of its property in the request; its name by default. */
  readonly at?: string;
  /** Whether it must be filled in; by default as the document says. */
  readonly required?: boolean;
};

/** Fields next to each other, or checks below each other, as a list; or fields that are folded away. */
export type Row<T> =
  | Field<T>
  | readonly Row<T>[]
  | { readonly more: string; readonly rows: readonly Row<T>[] }
  | ReactElement
  | false;

/** What is filled in. */
export interface Draft<T> {
  readonly draft: T;
  readonly change: (part: Partial<T>) => void;
}

/** A form in a dialog, which creates or changes a record. */
export interface FormProps<T> {
  readonly title: string;
  readonly look?: 'sheet';
  /** The schema of the request, whose bounds the fields have. */
  readonly schema: keyof typeof bounds;
  /** The values at the beginning: empty texts are null. */
  readonly begun: T | (() => T);
  readonly fields: (form: Draft<T>) => readonly Row<T>[];
  /** What is said above the fields. */
  readonly intro?: ReactNode;
  /** What the button does. */
  readonly label?: string;
  /** Whether the button has the focus at first, because nothing needs to be typed. */
  readonly isReady?: boolean;
  /** False while what is filled in is not complete. */
  readonly canSubmit?: (draft: T) => boolean;
  /** Sends the values, with texts trimmed and blank ones null. The dialog closes, unless it resolves with false. */
  readonly save: (values: T) => Promise<unknown>;
  /** What else can be done. What fails is said in the dialog. */
  readonly other?: { readonly label: string; readonly run: () => Promise<unknown> } | null;
  /** A second button, which saves and begins again with the values that `next` returns. */
  readonly another?: { readonly label: string; readonly next: (saved: T) => T };
  readonly onClose: () => void;
}

/**
 * A dialog with a form that is sent to the server. What fails is said next to the field that it is about, which gets
 * the focus, or else above the button. What was typed stays, and is not discarded without a confirmation.
 */
export function Form<T extends object>(props: FormProps<T>): ReactElement {
  const { title, look = 'usual', intro, label = t.save, canSubmit, other = null, onClose } = props;
  const { another, isReady = false } = props;
  const { form, rows, round, error, problem, isBusy, isChanged, run, runAgain } = useForm(props);
  const [isLeaving, setIsLeaving] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return (
    <>
      {/* First, because what closes first gives the focus back first. */}
      {isLeaving && (
        <Confirmed
          title={t.leaving}
          confirmLabel={t.discard}
          work={onClose}
          onClose={() => setIsLeaving(false)}
        >
          <p>{t.leavingHint}</p>
        </Confirmed>
      )}
      <Dialog title={title} look={look} onClose={isChanged ? () => setIsLeaving(true) : onClose}>
        {intro}
        <form
          ref={element}
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          <Fragment key={round}>
            <Rows form={form} rows={rows} hasFocus={!isReady} />
          </Fragment>
          <NotDone problem={problem} />
          <div className={other === null ? 'actions end' : 'actions'}>
            <Button
              type="submit"
              look="main"
              autoFocus={isReady}
              disabled={isBusy || canSubmit?.(form.draft) === false}
            >
              {label}
            </Button>
            {another !== undefined && (
              <Button
                disabled={isBusy || canSubmit?.(form.draft) === false}
                onClick={({ currentTarget }) => {
                  if (currentTarget.form?.reportValidity() === true) runAgain(another.next);
                }}
              >
                {another.label}
              </Button>
            )}
            {other !== null && (
              <Button look="danger" icon="trash" disabled={isBusy} onClick={() => run(other.run)}>
                {other.label}
              </Button>
            )}
          </div>
        </form>
      </Dialog>
    </>
  );
}

/** A draft with the bounds and the problems of its fields. */
interface Form<T> extends Draft<T> {
  readonly boundsOf: (field: Field<T>) => Bounds;
  readonly problemOf: (field: Field<T>) => string | null;
}

function useForm<T extends object>(props: FormProps<T>) {
  const { begun, schema, fields, save, onClose } = props;
  const [{ first, round }, begin] = useState(() => ({
    first: typeof begun === 'function' ? begun() : begun,
    round: 0,
  }));
  const [draft, setDraft] = useState(first);
  const [sent, setSent] = useState(first);
  const { error, isBusy, submit } = useSubmitting();
  const change = (part: Partial<T>): void => setDraft((now) => ({ ...now, ...part }));
  const rows = fields({ draft, change });
  const all = fieldsIn(rows);
  const { problems, problem } = problemsOf(error, all);
  const form: Form<T> = {
    draft,
    change,
    boundsOf: ({ name, at = name }) => (bounds[schema] as Record<string, Bounds>)[at] ?? {},
    // What is wrong with a value is so until the value changes.
    problemOf: ({ name, at = name }) =>
      draft[name] === sent[name] ? (problems.get(at) ?? null) : null,
  };
  const run = (work = () => save(valuesOf(all, draft))): void => {
    setSent(draft);
    void submit(async () => {
      if ((await work()) !== false) onClose();
    });
  };
  const runAgain = (next: (saved: T) => T): void => {
    setSent(draft);
    const values = valuesOf(all, draft);
    void submit(async () => {
      await save(values);
      const fresh = next(values);
      setDraft(fresh);
      setSent(fresh);
      begin({ first: fresh, round: round + 1 });
    });
  };
  const isChanged = (Object.keys(draft) as (keyof T)[]).some((name) => draft[name] !== first[name]);
  return { form, rows, round, error, problem, isBusy, isChanged, run, runAgain };
}

function fieldsIn<T>(rows: readonly Row<T>[]): Field<T>[] {
  return rows.flatMap((row) => {
    if (row === false || 'props' in row) return [];
    if ('name' in row) return [row];
    return fieldsIn('rows' in row ? row.rows : row);
  });
}

/** What is sent: blank texts are null, and passwords are as they were typed. */
function valuesOf<T extends object>(fields: readonly Field<T>[], draft: T): T {
  const texts = fields.flatMap(({ name, kind = 'text' }) => {
    const value = draft[name];
    const isText = typeof value === 'string' && ['text', 'url', 'date'].includes(kind);
    return isText ? [[name, value.trim() || null]] : [];
  });
  return { ...draft, ...(Object.fromEntries(texts) as Partial<T>) };
}

/** Divides what the server says into problems of fields, by their paths, and a text for the rest. */
function problemsOf<T>(error: unknown, fields: readonly Field<T>[]) {
  const paths = new Set(fields.map(({ name, at = name }) => at));
  const found = (error instanceof ApiError ? error.problems : []).map((each): [string, string] => {
    const { invalid_property: named, instancePath = '', errMsg } = each as Placed;
    return [named ?? instancePath.replace('/body/', ''), errMsg];
  });
  const isOfFields = found.length > 0 && found.every(([path]) => paths.has(path));
  return {
    problems: new Map(found),
    problem: error === null || isOfFields ? null : describeError(error),
  };
}

/** A problem with the place that it is about. */
type Placed = ApiError['problems'][number] & { readonly invalid_property?: string };

function Rows<T>(props: {
  readonly form: Form<T>;
  readonly rows: readonly Row<T>[];
  /** Whether the first row gets the focus. */
  readonly hasFocus?: boolean;
}): ReactElement {
  const { form, rows, hasFocus = false } = props;
  return (
    <>
      {rows.map((row, place) => {
        if (row === false || 'props' in row) return row;
        if ('name' in row) {
          const id = `${row.name} ${row.kind}`;
          return <FieldRow key={id} form={form} field={row} hasFocus={hasFocus && place === 0} />;
        }
        if ('rows' in row)
          return (
            <details key={row.more} className="more-fields">
              <summary>{row.more}</summary>
              <div className="stack">
                <Rows form={form} rows={row.rows} />
              </div>
            </details>
          );
        const isColumn = fieldsIn(row).every(({ kind }) => kind === 'check');
        return (
          <div key={place} className={isColumn ? undefined : 'field-row'}>
            <Rows form={form} rows={row} hasFocus={hasFocus && place === 0} />
          </div>
        );
      })}
    </>
  );
}

function FieldRow<T>(props: {
  readonly form: Form<T>;
  readonly field: Field<T>;
  readonly hasFocus: boolean;
}): ReactElement {
  const { form, field, hasFocus } = props;
  const { name, label, hint, kind = 'text' } = field;
  const { required: isNeeded = false, ...lengths } = form.boundsOf(field);
  const { required = isNeeded } = field;
  const value = form.draft[name] as Choice | boolean;
  const text = String(value ?? '');
  const line = { label, hint, problem: form.problemOf(field) };
  const onChange = (next: unknown): void => form.change({ [name]: next } as Partial<T>);
  if (field.kind === 'check') {
    const { fixed } = field;
    const check = { label, hint, value: fixed ?? value === true, disabled: fixed !== undefined };
    return <CheckField {...check} onChange={onChange} />;
  }
  if (field.kind === 'date')
    return <DateField {...line} {...{ required, onChange }} value={text} />;
  if (field.kind === 'amount') {
    const { currency, places } = field;
    const amount = { required, currency, places, value: value as string | null };
    return <AmountField {...line} {...amount} autoFocus={hasFocus} onChange={onChange} />;
  }
  if (field.kind === 'choice')
    return (
      <SelectField {...line} options={field.options} value={value as Choice} onChange={onChange} />
    );
  if (field.kind === 'segments')
    return <Segments {...{ label, onChange }} options={field.options} value={text} />;
  if (field.kind === 'category') {
    const { categories, placeholder, hasFocus: isFirst = false } = field;
    const choice = { categories, placeholder, hasFocus: isFirst };
    const picker = { label, ...choice, categoryId: value as number | null };
    return (
      <Line {...line} id={null}>
        <CategoryField {...picker} onChoose={onChange} />
      </Line>
    );
  }
  const { autoComplete, placeholder, className } = field;
  const input = { type: kind, autoComplete, placeholder, className, required, ...lengths };
  const change = kind === 'number' ? (next: string) => onChange(numberOf(next)) : onChange;
  return <TextField {...line} {...input} autoFocus={hasFocus} value={text} onChange={change} />;
}

/** Chooses a category, or creates one. */
function CategoryField(props: Parameters<typeof CategoryPicker>[0]): ReactElement {
  const creating = useCreating();
  const create = (name: string): void => creating.category(name, props.onChoose);
  return <CategoryPicker {...props} onCreate={create} />;
}

/** The number of a field for numbers; null for an empty one. */
function numberOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

type Choice = string | number | null;

/** What the API document says of the value of a field. */
interface Bounds {
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
}
