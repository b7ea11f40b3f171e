import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAccounts } from '../../../api/hooks.ts';
import type { ImportOptions, ImportPreview } from '../../../api/types.ts';
import { accountLines, canName } from '../../../books/imports/import-accounts.ts';
import { negate } from '../../../books/formats/money.ts';
import { Button } from '../../../parts/button.tsx';
import { Combobox } from '../../../parts/fields/combobox.tsx';
import { Money } from '../../../parts/money.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';

/** The accounts of a file. */
export interface PreviewAccountsProps {
  readonly preview: ImportPreview;
  /** Whether the file can be read again, with other names for accounts. */
  readonly canRead: boolean;
  readonly onRead: (options: ImportOptions) => void;
}

/** The accounts that the rows belong to, existing ones and new ones, and a way to choose others. */
export function PreviewAccounts({ preview, canRead, onRead }: PreviewAccountsProps): ReactElement {
  const { accounts } = preview;
  return (
    <section className="card stack" aria-labelledby="accounts-title">
      <h2 id="accounts-title">{t.accountsTitle}</h2>
      <ul className="preview-accounts">
        {accounts.map((account) => (
          <li key={account.name ?? ''}>
            <PreviewAccount
              account={account}
              isChangeable={canRead && canName(preview, account.name)}
              onName={(name) =>
                onRead({ ...preview.options, account: accountLines(preview, account.name, name) })
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PreviewAccount(props: {
  readonly account: ImportPreview['accounts'][number];
  readonly isChangeable: boolean;
  readonly onName: (name: string) => void;
}): ReactElement {
  const { account, isChangeable, onName } = props;
  const { name, id, rows, sums } = account;
  const [isOpen, setIsOpen] = useState(false);
  const isChoosing = isChangeable && (isOpen || name === null);
  return (
    <div className="stack">
      <div className="preview-account">
        <div>
          <p className="file-name">{name ?? t.accountMissing}</p>
          <p className="hint">
            {name === null ? t.accountMissingHint : id === null ? t.accountNew : t.accountKnown}
          </p>
        </div>
        <p className="end">
          {sums.map(({ currency, amount }) => (
            <Money key={currency} amount={negate(amount)} currency={currency} sign="debit" />
          ))}
          <span className="hint">{t.rows(rows)}</span>
        </p>
        {isChangeable && name !== null && !isOpen && (
          <Button aria-label={t.accountOf(name)} onClick={() => setIsOpen(true)}>
            {t.accountChange}
          </Button>
        )}
      </div>
      {isChoosing && (
        <AccountField
          label={name === null ? t.accountChoose : t.accountOf(name)}
          hasFocus={isOpen}
          onName={(chosen) => {
            setIsOpen(false);
            onName(chosen);
          }}
          onCancel={() => setIsOpen(false)}
        />
      )}
    </div>
  );
}

/** Finds an account of the book by some letters, or names a new one. */
function AccountField(props: {
  readonly label: string;
  readonly hasFocus: boolean;
  readonly onName: (name: string) => void;
  readonly onCancel: () => void;
}): ReactElement {
  const { label, hasFocus, onName, onCancel } = props;
  const { data } = useAccounts();
  const [typed, setTyped] = useState('');
  const known = (data?.manual ?? []).filter(({ status }) => status === 'active');
  const isNew = typed.trim() !== '' && known.every(({ name }) => name !== typed.trim());
  const options = [
    ...known.map(({ id, name }) => ({ id, name })),
    ...(isNew ? [{ id: 'new', name: typed.trim(), content: t.accountCreate(typed.trim()) }] : []),
  ];
  return (
    <Combobox
      label={label}
      placeholder={t.accountPlaceholder}
      options={options}
      hasFocus={hasFocus}
      onType={setTyped}
      onChoose={(option) => {
        if (option !== null) onName(option.name);
      }}
      onCancel={onCancel}
    />
  );
}
