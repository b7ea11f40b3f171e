import { Payee, PayeeList, TransactionMonth, TransactionMonths } from './schema.ts';
import { TransactionSelection, TransactionSum, TransactionSums } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const selectionComponents = {
  TransactionSelection,
  TransactionMonth,
  TransactionMonths,
  TransactionSum,
  TransactionSums,
  Payee,
  PayeeList,
};
