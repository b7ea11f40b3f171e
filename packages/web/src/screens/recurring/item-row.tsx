import type { KeyboardEvent, ReactElement } from 'react';
import { describeError } from '../../api/errors.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { accountOf } from '../../books/recurring/recurring-draft.ts';
import type { ItemStatus, RecurringItem } from '../../books/recurring/recurring.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { showToast } from '../../parts/overlays/toasts.ts';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import type { ItemsProps } from './props.ts';

/** An item of the list. */
export interface ItemRowProps extends ItemsProps {
  readonly item: RecurringItem;
}

/** An item: when it is next, what it is, and what was found of it. */
export function ItemRow(props: ItemRowProps): ReactElement {
  const { item, names, onEdit } = props;
  const { hasLetterKeys } = usePreferences();
  const { details, name } = item;
  const { transaction_criteria: criteria, overrides } = details;
  const account = names.accountOf(accountOf(criteria)) ?? t.anyAccount;
  const category = names.categoryOf(overrides.category_id);
  const shown = name === '' ? t.anyPayee : name;
  return (
    <li
      className="due-item"
      onKeyDown={(event) => {
        if (hasLetterKeys) pressLetter(event, props);
      }}
    >
      <NextDate {...props} />
      <div className="item-what">
        <button
          type="button"
          className="item-name"
          aria-label={t.edit(shown)}
          onClick={() => onEdit(item)}
        >
          {shown}
        </button>
        <p className="hint">
          {t.rhythm(criteria.quantity, criteria.granularity)}
          {details.description !== null && details.description !== name && (
            <> · {details.description}</>
          )}
        </p>
      </div>
      <p className="item-where hint">
        {category !== null && <span className="badge">{category}</span>} {account}
      </p>
      <p className="item-amount">
        <Money amount={criteria.amount} currency={criteria.currency} sign="debit" />
        <Found {...props} />
      </p>
      <Decisions {...props} shown={shown} />
    </li>
  );
}

function NextDate({ item, today }: ItemRowProps): ReactElement {
  const preferences = usePreferences();
  const { next } = item;
  if (next === null) return <p className="item-next hint">{t.ended}</p>;
  return (
    <p className="item-next">
      <span className="hidden">{t.next}: </span>
      {next === today ? t.today : formatDate(next, 'weekday', preferences)}
    </p>
  );
}

function Found({ item }: ItemRowProps): ReactElement | null {
  const preferences = usePreferences();
  const { last, missed, details } = item;
  if (details.status !== 'reviewed') return null;
  if (missed !== null)
    return (
      <span className="badge warn">
        <Icon name="warning" /> {t.missing(formatDate(missed, 'medium', preferences))}
      </span>
    );
  return (
    <span className="hint">
      {last === null ? t.never : t.last(formatDate(last, 'medium', preferences))}
    </span>
  );
}

/** Accepts or dismisses an item; a failure is said, and the item stays as it was. */
function decide({ item, actions }: ItemRowProps, status: ItemStatus): void {
  const { details, name } = item;
  const text = status === 'reviewed' ? t.accepted(name) : t.dismissed(name);
  actions.setStatus(details.id, status, text).catch((error: unknown) => {
    showToast({ text: t.failed(name, describeError(error)), look: 'problem' });
  });
}

function Decisions(props: ItemRowProps & { readonly shown: string }): ReactElement {
  const { item, shown } = props;
  const { status } = item.details;
  if (status === 'reviewed') return <div className="item-actions" />;
  const isSuggested = status === 'suggested';
  return (
    <div className="item-actions actions">
      <Button
        icon="check"
        aria-label={isSuggested ? t.acceptNamed(shown) : t.restoreNamed(shown)}
        onClick={() => decide(props, 'reviewed')}
      >
        {isSuggested ? t.accept : t.restore}
      </Button>
      {isSuggested && (
        <Button
          look="quiet"
          aria-label={t.dismissNamed(shown)}
          onClick={() => decide(props, 'dismissed')}
        >
          {t.dismiss}
        </Button>
      )}
    </div>
  );
}

/** On a suggestion, `a` accepts and `d` dismisses. */
function pressLetter(event: KeyboardEvent, props: ItemRowProps): void {
  if (props.item.details.status !== 'suggested') return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'a') decide(props, 'reviewed');
  if (event.key === 'd') decide(props, 'dismissed');
}
