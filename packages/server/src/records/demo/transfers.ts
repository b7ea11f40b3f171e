import { payingAccount, type AccountName, type CardName } from './accounts.ts';
import { priceIn, type PriceSteps } from './bill.ts';
import { dayIn, dayOn, monthCount, monthOf } from './calendar.ts';
import type { CategoryName } from './categories.ts';
import { draftTransaction, type DraftTransaction, type DraftUnit } from './draft-transaction.ts';
import type { Random } from './random.ts';

interface StandingTransfer {
  readonly from: AccountName;
  readonly to: AccountName;
  /** What either bank calls it. */
  readonly outPayee: string;
  readonly inPayee: string;
  readonly category: CategoryName;
  readonly due: number;
  /** 0 ends the transfer. */
  readonly amounts: PriceSteps;
}

const standingTransfers: readonly StandingTransfer[] = [
  {
    from: 'checking',
    to: 'savings',
    outPayee: 'Transfer to Rainy Day Savings',
    inPayee: 'Transfer from First Harbor',
    category: 'Between Accounts',
    due: 16,
    amounts: {
      '2016-11': 60000,
      '2018-09': 90000,
      '2019-01': 145000,
      '2020-01': 235000,
      '2020-11': 130000,
      '2022-01': 70000,
      '2024-01': 75000,
      '2025-09': 130000,
    },
  },
  {
    from: 'checking',
    to: 'creditUnion',
    outPayee: 'Transfer to Cedar Valley CU',
    inPayee: 'Transfer from First Harbor',
    category: 'Between Accounts',
    due: 28,
    amounts: {
      '2016-11': 152000,
      '2018-09': 0,
      '2020-11': 85000,
      '2021-09': 204000,
      '2025-09': 76000,
    },
  },
  {
    from: 'checking',
    to: 'brokerage',
    outPayee: 'Plumb Line Investing Contribution',
    inPayee: 'Contribution received',
    category: 'Between Accounts',
    due: 7,
    amounts: {
      '2017-02': 15000,
      '2019-01': 30000,
      '2020-11': 40000,
      '2022-07': 45000,
      '2024-07': 65000,
      '2025-09': 105000,
    },
  },
  {
    from: 'creditUnion',
    to: 'savings',
    outPayee: 'Share transfer to savings',
    inPayee: 'Share transfer from checking',
    category: 'Between Accounts',
    due: 26,
    amounts: { '2018-10': 50000, '2020-11': 0 },
  },
  {
    from: 'checking',
    to: 'studentLoan',
    outPayee: 'Scholars Loan Servicing',
    inPayee: 'Payment received – thank you',
    category: 'Loan Payments',
    due: 10,
    amounts: { '2016-11': 31250, '2020-04': 0, '2020-11': 31250, '2022-07': 0 },
  },
];

/** Both ends of every standing transfer, card payment and cash withdrawal. */
export function draftTransfers(random: Random): DraftUnit[] {
  const units = standingTransfers.flatMap((transfer) => draftStanding(transfer, random));
  for (let month = 0; month < monthCount; month += 1) {
    units.push(draftCardPayment('travelCard', 'Voyager Card Payment', dayIn(month, 5), random));
    if (month > monthOf('2018-05')) {
      units.push(draftCardPayment('cashBackCard', 'Juniper Card Autopay', dayIn(month, 8), random));
    }
    units.push(draftWithdrawal(dayIn(month, random.integer(2, 27)), random));
  }
  return [...units, ...draftLoanEnd()];
}

function draftStanding(transfer: StandingTransfer, random: Random): DraftUnit[] {
  const units: DraftUnit[] = [];
  for (let month = 0; month < monthCount; month += 1) {
    const cents = priceIn(transfer.amounts, month);
    if (cents === 0) continue;
    const day = dayIn(month, transfer.due);
    const sides = { amount: cents * 100, category: transfer.category };
    units.push([
      draftTransaction({ ...sides, day, payee: transfer.outPayee, account: transfer.from }),
      draftTransaction({
        ...sides,
        day: settledOn(day, random),
        amount: -sides.amount,
        payee: transfer.inPayee,
        account: transfer.to,
      }),
    ]);
  }
  return units;
}

/** The amounts are left at 0: they are the card's statement, known once the purchases are. */
function draftCardPayment(
  card: CardName,
  outPayee: string,
  day: number,
  random: Random,
): DraftTransaction[] {
  const sides = { amount: 0, category: 'Card Payments' } as const;
  const cardSide = draftTransaction({
    ...sides,
    day: settledOn(day, random),
    payee: 'Payment Thank You',
    account: payingAccount(card, day),
  });
  return [
    draftTransaction({ ...sides, day, payee: outPayee, account: 'checking', cardSide }),
    cardSide,
  ];
}

function draftWithdrawal(day: number, random: Random): DraftTransaction[] {
  const sides = {
    day,
    amount: random.integer(1, 6) * 200_000,
    category: 'Cash Withdrawals',
  } as const;
  return [
    draftTransaction({ ...sides, payee: 'ATM Withdrawal', account: 'checking' }),
    draftTransaction({
      ...sides,
      amount: -sides.amount,
      payee: 'Cash from ATM',
      account: 'wallet',
    }),
  ];
}

/** The last payment is larger, from savings: the loan is gone, three years early. */
function draftLoanEnd(): DraftUnit[] {
  const day = dayOn('2022-07-10');
  const sides = { day, amount: 43_861_700, category: 'Loan Payments' } as const;
  const notes = 'Paid off! 🎉';
  return [
    [
      draftTransaction({ ...sides, payee: 'Scholars Loan Servicing', account: 'savings', notes }),
      draftTransaction({
        ...sides,
        amount: -sides.amount,
        payee: 'Payoff received',
        account: 'studentLoan',
        notes,
      }),
    ],
  ];
}

/** The other bank books it the same day or the next; nothing is due on the last day of all. */
function settledOn(day: number, random: Random): number {
  return day + random.integer(0, 1);
}
