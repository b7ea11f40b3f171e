import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { countedAs, type Holding } from '../../books/accounts/holdings.ts';
import { registerRows, type RegisterRow } from '../../books/accounts/register.ts';
import { transactionsHref } from '../../books/filter/filter.ts';
import { dateAt, formatDate } from '../../books/formats/dates.ts';
import { negate } from '../../books/formats/money.ts';
import type { Schemas } from '../../books/types.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { Money } from '../../parts/money.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { accountTexts as t } from '../../texts/en/accounts.ts';
import { FileButton } from '../flow/file-button.tsx';
import { FormDialog } from '../flow/form-dialog.tsx';
import { Loaded } from '../flow/loaded.tsx';
import { showFailure, useOwnChanges, useUndoKey } from '../flow/own-changes.ts';
import type { HoldingDialogProps } from './account-dialogs.tsx';
import { useProof, useRegister } from './data.ts';

type Proof = Schemas['AccountProof'];
type Stretch = Proof['stretches'][number];

/** An account: its balance and what proves it, and its transactions with the balance after each. */
export function AccountPage({ holding }: { readonly holding: Holding }): ReactElement {
  const { name, type, balance, currency, kind } = holding;
  const { undo } = useOwnChanges(keys.accounts, keys.transactions);
  useUndoKey(undo);
  const own = holdingFilter(holding);
  return (
    <>
      <PageHeader
        title={name}
        summary={<Money amount={countedAs(type, balance)} currency={currency} />}
      >
        <LinkButton href={transactionsHref(own)} label={t.transactions} />
        {kind === 'manual' && (
          <FileButton
            label={t.toImport}
            options={{ account: name.includes('=') ? `=${name}` : name }}
          />
        )}
      </PageHeader>
      <div className="accounts">
        <ProofCard holding={holding} />
        <Register holding={holding} />
      </div>
    </>
  );
}

function holdingFilter({ kind, id }: Holding) {
  return kind === 'manual' ? { manualAccountIds: [id] } : { plaidAccountIds: [id] };
}

/** Which balances follow from the transactions, and what is wrong. */
function ProofCard({ holding }: { readonly holding: Holding }): ReactElement {
  const proof = useProof(holding);
  return (
    <section className="card stack" aria-labelledby="proof-title">
      <h2 id="proof-title">{t.proof}</h2>
      <Loaded query={proof}>{(found) => <ProofOf proof={found} holding={holding} />}</Loaded>
    </section>
  );
}

const mostShown = 5;

function ProofOf({ proof, holding }: { readonly proof: Proof; readonly holding: Holding }) {
  const preferences = usePreferences();
  const wrong = proof.stretches.filter(({ state }) => state !== 'proved');
  const until = proof.proved_until;
  const day = (date: string): string => formatDate(date, 'medium', preferences);
  const right = until === null ? t.unknown : t.provedUntil(day(until));
  const icon = until === null ? 'info' : 'check';
  const sentence = proof.broken_on === null ? right : t.broken(day(proof.broken_on));
  return (
    <>
      <p className="proof-line">
        <Icon name={proof.state === 'broken' ? 'warning' : icon} />
        <span>{sentence}</span>
      </p>
      {wrong.length > 0 && (
        <ul className="proof-wrong">
          {wrong.slice(0, mostShown).map((stretch) => (
            <WrongDays key={stretch.to.id} stretch={stretch} holding={holding} />
          ))}
        </ul>
      )}
      {holding.kind === 'manual' && (
        <div className="actions">
          <OpenButton dialog={(close) => <KnownBalance holding={holding} onClose={close} />}>
            {proof.anchors === 0 ? t.opening : t.reconcile}
          </OpenButton>
        </div>
      )}
    </>
  );
}

/** Days whose transactions do not make the balance at their end, and one click to what would explain it. */
function WrongDays(props: { readonly stretch: Stretch; readonly holding: Holding }): ReactElement {
  const { stretch, holding } = props;
  const preferences = usePreferences();
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  const { from, to, difference, explanations } = stretch;
  const isLess = difference.startsWith('-');
  const [first, last] = [from, to].map(({ day }) => formatDate(day, 'medium', preferences));
  const days = transactionsHref({ ...holdingFilter(holding), text: `${from.day}..${to.day}` });
  const forget = (): void => {
    const write = () => request('DELETE /coffer/balance_anchors/{id}', { path: { id: to.id } });
    change(write, t.forgotten).catch(showFailure);
  };
  return (
    <li>
      <p>
        <Money amount={isLess ? negate(difference) : difference} currency={holding.currency} />{' '}
        {(isLess ? t.less : t.more)(first!, last!)}
      </p>
      <ul className="proof-reasons">
        {explanations.map(({ kind, transaction_ids: ids }) => (
          <li key={`${kind} ${ids.join()}`}>
            {ids.length === 0 ? (
              t.reasons[kind]
            ) : (
              <Link href={`/transactions/${ids.at(-1)}?${days.split('?')[1] ?? ''}`}>
                {t.reasons[kind]}
              </Link>
            )}
          </li>
        ))}
      </ul>
      <div className="actions">
        <LinkButton href={days} label={t.showRows} />
        {holding.kind === 'manual' && (
          <Button look="quiet" onClick={forget}>
            {t.forget(last!)}
          </Button>
        )}
      </div>
    </li>
  );
}

/** A form with what the account has on a day. */
function KnownBalance({ holding, onClose }: HoldingDialogProps): ReactElement {
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  return (
    <FormDialog
      title={t.knownTitle(holding.name)}
      schema="BalanceAnchorInsert"
      intro={<p className="hint">{t.knownHint}</p>}
      begun={() => ({ day: dateAt(Date.now()), balance: '', forget_moved: false })}
      fields={() => [
        { name: 'day', label: t.day, kind: 'date' },
        {
          name: 'balance',
          label: t.balance,
          kind: 'amount',
          ...{ currency: holding.currency, places: 4 },
        },
        { name: 'forget_moved', label: t.forgetMoved, kind: 'check' },
      ]}
      save={(body) => {
        const path = { id: holding.id };
        const write = () => request('POST /coffer/accounts/{id}/anchors', { path, body });
        return change(write, t.known(holding.name));
      }}
      onClose={onClose}
    />
  );
}

/** The transactions of the account, the newest first, with the balance after each. */
function Register({ holding }: { readonly holding: Holding }): ReactElement {
  const [limit, setLimit] = useState(50);
  const register = useRegister(holding, limit);
  return (
    <section className="card stack" aria-labelledby="register-title">
      <h2 id="register-title">{t.register}</h2>
      <Loaded query={register} lines={8}>
        {({ rows, days, hasMore }) =>
          rows.length === 0 ? (
            <EmptyState icon="transactions" title={t.noRows} hint={t.noRowsHint} />
          ) : (
            <>
              <Rows rows={registerRows(rows, days, holding.currency)} holding={holding} />
              {hasMore && limit < mostRows && (
                <Button look="quiet" icon="chevron-down" onClick={() => setLimit(limit * 2)}>
                  {t.showMore}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const mostRows = 800;

type RowsProps = Readonly<{ rows: readonly RegisterRow[]; holding: Holding }>;

function Rows({ rows, holding }: RowsProps): ReactElement {
  const preferences = usePreferences();
  const { currency } = holding;
  return (
    <Table
      label={t.registerOf(holding.name)}
      rows={rows}
      rowKey={({ row }) => row.id}
      columns={[
        { title: t.date, cell: ({ row }) => formatDate(row.date, 'medium', preferences) },
        {
          title: t.payee,
          isHeading: true,
          cell: ({ row }) => <Link href={`/transactions/${row.id}`}>{row.payee}</Link>,
        },
        {
          title: t.amount,
          align: 'end',
          cell: ({ row }) => <Money amount={row.amount} currency={row.currency} sign="debit" />,
        },
        {
          title: t.balance,
          align: 'end',
          cell: ({ balance }) =>
            balance === null ? null : <Money amount={balance} currency={currency} />,
        },
        {
          title: t.proof,
          cell: ({ state }) => (state === null ? null : <ProofMark state={state} />),
        },
      ]}
    />
  );
}

function ProofMark({ state }: { readonly state: NonNullable<RegisterRow['state']> }): ReactElement {
  return (
    <span className={`proof-mark ${state}`} title={t.states[state]}>
      <Icon name={state === 'proved' ? 'check' : 'warning'} />
      <span className="hidden">{t.states[state]}</span>
    </span>
  );
}
