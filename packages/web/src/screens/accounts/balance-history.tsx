import type { ReactElement } from 'react';
import { layBalances } from '../../books/accounts/balance-line.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { countedAs } from '../../books/accounts/holdings.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Table } from '../../parts/lists/table.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useBalances } from './data.ts';

const t = accountsTexts.balances;

interface MonthValue {
  readonly month: string;
  readonly amount: string;
  readonly currency: string;
}

/** The balances of an account by month as a line, and as a table. */
export function BalanceHistory(props: {
  readonly holding: Holding;
  readonly onClose: () => void;
}): ReactElement {
  const { holding, onClose } = props;
  const balances = useBalances(holding);
  return (
    <Dialog
      title={`${accountsTexts.history}: ${holding.name}`}
      look="wide"
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <Loaded query={balances}>
        {(all) =>
          all.length === 0 ? (
            <p className="nothing">{t.none}</p>
          ) : (
            <Months
              label={t.label(holding.name)}
              months={all.map(({ month, balance, currency }) => ({
                month,
                currency,
                amount: countedAs(holding.type, balance),
              }))}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Months(props: {
  readonly label: string;
  readonly months: readonly MonthValue[];
}): ReactElement {
  const { label, months } = props;
  const preferences = usePreferences();
  const first = months[0]!;
  const last = months.at(-1)!;
  return (
    <>
      {months.length > 1 && <Line months={months} label={label} />}
      <p className="line-ends">
        {[...new Set([first, last])].map(({ month, amount, currency }) => (
          <span key={month}>
            <span className="label">{formatDate(month, 'month', preferences)}</span>
            <Money amount={amount} currency={currency} />
          </span>
        ))}
      </p>
      <details>
        <summary>{t.table}</summary>
        <Table
          label={label}
          rows={months.toReversed()}
          rowKey={({ month }) => month}
          columns={[
            {
              key: 'month',
              title: t.month,
              isHeading: true,
              cell: ({ month }) => formatDate(month, 'month', preferences),
            },
            {
              key: 'balance',
              title: t.balance,
              align: 'end',
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
          ]}
        />
      </details>
    </>
  );
}

/** The line has no numbers, so that it shows nothing in privacy mode but its form, which is hidden then. */
function Line(props: {
  readonly months: readonly MonthValue[];
  readonly label: string;
}): ReactElement | null {
  const { months, label } = props;
  const { isPrivate } = usePreferences();
  if (isPrivate) return null;
  const { points, zero } = layBalances(months.map(({ amount }) => Number(amount)));
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ');
  return (
    <svg
      className="balance-line"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {zero !== null && <line className="zero" x1="0" x2="100" y1={zero} y2={zero} />}
      <polygon points={`0,100 ${path} 100,100`} />
      <polyline points={path} />
    </svg>
  );
}
