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

/** The name and the currency of the book, and a button that changes them. */
export function BookFacts(): ReactElement | null {
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
        dialog={(close) => <FactsForm facts={facts} onClose={close} />}
      >
        {t.edit}
      </OpenButton>
    </>
  );
}

function FactsForm(props: { readonly facts: Facts; readonly onClose: () => void }): ReactElement {
  const { facts, onClose } = props;
  const cache = useQueryClient();
  return (
    <FormDialog
      title={t.edit}
      schema="OwnBookUpdate"
      begun={facts}
      fields={() => [
        { name: 'name', label: t.name, required: true },
        {
          name: 'primary_currency',
          label: t.currency,
          hint: t.currencyHint,
          kind: 'choice',
          options: currenciesWith(facts.primary_currency),
        },
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
