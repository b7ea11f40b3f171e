import type { ReactElement } from 'react';
import { useCurrency } from '../../api/hooks.ts';
import { bodyOfRule, draftOfRule, ruleLike } from '../../books/rules/draft.ts';
import type { Rule, RuleDraft } from '../../books/rules/draft.ts';
import { formatDate } from '../../books/formats/dates.ts';
import type { Schemas, Transaction } from '../../books/types.ts';
import { CheckField, optionsOf } from '../../parts/fields/fields.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { rulesTexts, ruleForm as t } from '../../texts/en/rules.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import type { Draft, Row } from '../flow/form.tsx';
import { useNames, type Names } from '../flow/names.ts';
import { TagsField } from '../flow/tags-field.tsx';
import { useRuleActions, useRulePreview } from './data.ts';
import { actionsInWords, conditionsInWords, useAmountText } from './words.ts';

/** Creates a rule that gives all transactions of a payee a category. */
export function RuleLike(props: {
  readonly row: Pick<Transaction, 'payee' | 'category_id'>;
  readonly onClose: () => void;
}): ReactElement {
  return <RuleDialog begun={ruleLike(props.row)} onClose={props.onClose} />;
}

type RuleDialogProps = Readonly<{ begun: RuleDraft | Rule; onClose: () => void }>;

/** Creates a rule from what is filled in, or edits one. */
export function RuleDialog({ begun, onClose }: RuleDialogProps): ReactElement {
  const names = useNames();
  const currency = useCurrency();
  const { save } = useRuleActions();
  const nameOf = useRuleName(names);
  const rule = 'id' in begun ? begun : null;
  const first = 'id' in begun ? draftOfRule(begun) : begun;
  const isNew = rule === null;
  return (
    <FormDialog
      title={isNew ? t.newTitle : t.editTitle}
      look="sheet"
      label={isNew ? t.create : t.save}
      schema="RuleInsert"
      begun={first}
      isReady={bodyOfRule(first, '') !== null}
      canSubmit={(draft) => bodyOfRule(draft, '') !== null}
      fields={(form) => [
        ...fieldsOf(form, names, currency, isNew && first.payee !== null),
        <Preview key="preview" {...form} names={names} />,
      ]}
      save={(draft) =>
        save(rule?.id ?? null, bodyOfRule(draft, draft.name ?? nameOf(draft))!, draft.isForPast)
      }
      onClose={onClose}
    />
  );
}

const longestName = 100;

/** Returns a function that names a rule by what it looks for. */
function useRuleName(names: Names): (draft: RuleDraft) => string {
  const shown = useAmountText();
  return (draft) => {
    const body = bodyOfRule(draft, '');
    const words = body === null ? '' : conditionsInWords(body, names, shown);
    const found = [draft.payee?.trim(), words].find((text) => text !== undefined && text !== '');
    return (found ?? t.unnamed).slice(0, longestName);
  };
}

function fieldsOf(
  form: Draft<RuleDraft>,
  names: Names,
  currency: string,
  isForPayee: boolean,
): Row<RuleDraft>[] {
  const accounts = [...names.accounts].map(([value, label]) => ({ value, label }));
  const compared = { label: t.compared, options: optionsOf(t.operators) } as const;
  const { draft } = form;
  return [
    [
      { name: 'payee', label: t.payee },
      { name: 'payeeOperator', kind: 'choice', ...compared },
    ],
    {
      more: t.moreWhen,
      rows: [
        [
          { name: 'least', label: t.least, kind: 'amount', currency },
          { name: 'most', label: t.most, kind: 'amount', currency },
        ],
        { name: 'direction', label: t.direction, kind: 'segments', options: t.directions },
        {
          name: 'account',
          label: t.account,
          kind: 'choice',
          options: [{ value: '', label: t.anyAccount }, ...accounts],
        },
        {
          name: 'ofCategory',
          label: t.ofCategory,
          kind: 'category',
          categories: names.categories,
          placeholder: t.anyCategory,
        },
        [
          { name: 'notes', label: t.notes },
          { name: 'notesOperator', kind: 'choice', ...compared },
        ],
      ],
    },
    {
      name: 'category_id',
      label: t.category,
      kind: 'category',
      categories: names.categories,
      placeholder: t.keepCategory,
      hasFocus: isForPayee && draft.category_id === null,
    },
    {
      more: t.moreThen,
      rows: [
        { name: 'newPayee', label: t.newPayee },
        <TagsField key="tags" {...form} label={rulesTexts.tags} names={names} />,
        { name: 'newNotes', label: t.newNotes },
        { name: 'reviewed', label: t.status, kind: 'segments', options: t.statuses },
        { name: 'isExcluded', label: t.excluded, kind: 'check' },
        { name: 'stop', label: t.stop, kind: 'check' },
        draft.split !== undefined && (
          <p key="split" className="hint">
            {t.split(draft.split.length)}
          </p>
        ),
        { name: 'name', label: t.name, hint: t.nameHint, required: false },
      ],
    },
  ];
}

/** What the rule would change of all transactions, and whether it does so now. */
function Preview(props: Draft<RuleDraft> & { readonly names: Names }): ReactElement {
  const { draft, change, names } = props;
  const body = bodyOfRule(draft, t.unnamed);
  const preview = useRulePreview(body === null ? null : { rule: body });
  const changed = preview?.changed ?? 0;
  return (
    <section className="rule-preview" aria-label={t.preview}>
      {body === null || preview === undefined ? (
        <p className="hint" role="status">
          {body === null ? t.incomplete : t.counting}
        </p>
      ) : (
        <PreviewRows preview={preview} names={names} />
      )}
      {changed > 0 && (
        <CheckField
          label={t.past(changed)}
          value={draft.isForPast}
          onChange={(isForPast) => change({ isForPast })}
        />
      )}
    </section>
  );
}

type PreviewRowsProps = Readonly<{ preview: Schemas['RulePreview']; names: Names }>;

/** How many transactions a rule would change, and the latest of them. */
export function PreviewRows({ preview, names }: PreviewRowsProps): ReactElement {
  const { changed, examined, transactions } = preview;
  const format = usePreferences();
  const others = changed - transactions.length;
  return (
    <>
      <p role="status">{t.changes(changed, examined)}</p>
      <ul>
        {transactions.map(({ id, date, amount, currency, before, after }) => (
          <li key={id}>
            <span>{formatDate(date, 'medium', format)}</span>
            <bdi>{before.payee}</bdi>
            <Money amount={amount} currency={currency} sign="debit" />
            <small>{differenceInWords(before, after, names)}</small>
          </li>
        ))}
      </ul>
      {others > 0 && <p className="hint">{t.others(others)}</p>}
    </>
  );
}

type Effect = Schemas['RuleEffect'];

function differenceInWords(before: Effect, after: Effect, names: Names): string {
  const added = after.tag_ids.filter((id) => !before.tag_ids.includes(id));
  const actions = {
    ...(after.payee !== before.payee && { payee: after.payee }),
    ...(after.category_id !== before.category_id &&
      after.category_id !== null && { category_id: after.category_id }),
    ...(added.length > 0 && { tag_ids: added }),
    ...(after.notes !== before.notes && after.notes !== null && { notes: after.notes }),
    ...(after.status !== before.status && { reviewed: after.status === 'reviewed' }),
  };
  const was = names.categoryOf(before);
  const isMoved = was !== null && after.category_id !== before.category_id;
  return `${isMoved ? `${was} ` : ''}→ ${actionsInWords({ actions, stop: false }, names)}`;
}
