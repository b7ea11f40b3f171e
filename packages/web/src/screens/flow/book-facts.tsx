import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../books/types.ts';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { bookTexts as t } from '../../texts/en/book.ts';
import { currenciesWith } from './currencies.ts';
import { FormDialog } from './form-dialog.tsx';

type Facts = Required<Schemas['OwnBookUpdate']>;

/** The name and the currency of the book, and a button that changes both, or the name alone. */
export function BookFacts(props: { readonly isNameOnly?: boolean }): ReactElement | null {
  const { isNameOnly = false } = props;
  const { data } = useSession();
  if (!data?.book) return null;
  const { name, primary_currency } = data.book;
  const facts = { name, primary_currency } as Facts;
  return (
    <>
      <p>
        <bdi>{name}</bdi> · {primary_currency.toUpperCase()}
      </p>
      <OpenButton
        look="quiet"
        icon="edit"
        dialog={(close) => <FactsForm {...{ facts, isNameOnly }} onClose={close} />}
      >
        {isNameOnly ? t.editName : t.edit}
      </OpenButton>
    </>
  );
}

type FactsFormProps = Readonly<{ facts: Facts; isNameOnly: boolean; onClose: () => void }>;

function FactsForm({ facts, isNameOnly, onClose }: FactsFormProps): ReactElement {
  const cache = useQueryClient();
  const currency = {
    name: 'primary_currency',
    label: t.currency,
    hint: t.currencyHint,
    kind: 'choice',
    options: currenciesWith(facts.primary_currency),
  } as const;
  return (
    <FormDialog
      title={isNameOnly ? t.editName : t.edit}
      schema="OwnBookUpdate"
      begun={facts}
      fields={() => [
        { name: 'name', label: t.name, required: true },
        ...(isNameOnly ? [] : [currency]),
      ]}
      save={async (body) => {
        const saved = await request('PUT /coffer/book', { body });
        await cache.invalidateQueries();
        showToast({ text: t.saved(saved.name, saved.primary_currency.toUpperCase()) });
      }}
      onClose={onClose}
    />
  );
}
