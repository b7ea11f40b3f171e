import { accountTexts } from '../en/account.ts';
import { accountsTexts } from '../en/accounts.ts';
import { bookTexts } from '../en/book.ts';
import { budgetSettingsTexts, budgetTexts, moveTexts } from '../en/budget.ts';
import { categoriesTexts } from '../en/categories.ts';
import { historyTexts } from '../en/history.ts';
import { importTexts } from '../en/import.ts';
import { keySheet } from '../en/keys.ts';
import { overviewTexts } from '../en/overview.ts';
import { createTexts, partTexts } from '../en/parts.ts';
import { itemTexts, recurringTexts } from '../en/recurring.ts';
import { reportTexts } from '../en/reports.ts';
import { reviewTexts } from '../en/review.ts';
import { ruleForm, rulesTexts, ruleWords } from '../en/rules.ts';
import { settingsTexts } from '../en/settings.ts';
import { screenLabels, shell } from '../en/shell.ts';
import { signInTexts } from '../en/sign-in.ts';
import { starterSets, starterTexts } from '../en/starter-sets.ts';
import {
  bulkTexts,
  entryTexts,
  newRowTexts,
  searchWordTexts,
  transactionTexts,
} from '../en/transactions.ts';
import { recordNames, undoTexts } from '../en/undo.ts';
import { unsentTexts } from '../en/unsent.ts';
import { replaceTexts } from '../translated.ts';
import { accountDe } from './account.ts';
import { accountsDe } from './accounts.ts';
import { bookDe } from './book.ts';
import { budgetDe, budgetSettingsDe, moveDe } from './budget.ts';
import { categoriesDe } from './categories.ts';
import { historyDe } from './history.ts';
import { importDe } from './import.ts';
import { keySheetDe } from './keys.ts';
import { overviewDe } from './overview.ts';
import { createDe, partsDe } from './parts.ts';
import { itemDe, recurringDe } from './recurring.ts';
import { reportsDe } from './reports.ts';
import { reviewDe } from './review.ts';
import { ruleFormDe, rulesDe, ruleWordsDe } from './rules.ts';
import { settingsDe } from './settings.ts';
import { screensDe, shellDe } from './shell.ts';
import { signInDe } from './sign-in.ts';
import { starterDe, starterSetsDe } from './starter-sets.ts';
import { bulkDe, entryDe, newRowDe, searchWordsDe, transactionsDe } from './transactions.ts';
import { recordNamesDe, undoDe } from './undo.ts';
import { unsentDe } from './unsent.ts';

/** Puts the German texts in the place of the English ones. */
export function useGerman(): void {
  replaceTexts(accountTexts, accountDe);
  replaceTexts(accountsTexts, accountsDe);
  replaceTexts(bookTexts, bookDe);
  replaceTexts(budgetTexts, budgetDe);
  replaceTexts(budgetSettingsTexts, budgetSettingsDe);
  replaceTexts(moveTexts, moveDe);
  replaceTexts(categoriesTexts, categoriesDe);
  replaceTexts(historyTexts, historyDe);
  replaceTexts(importTexts, importDe);
  replaceTexts(keySheet, keySheetDe);
  replaceTexts(overviewTexts, overviewDe);
  replaceTexts(partTexts, partsDe);
  replaceTexts(createTexts, createDe);
  replaceTexts(recurringTexts, recurringDe);
  replaceTexts(itemTexts, itemDe);
  replaceTexts(reportTexts, reportsDe);
  replaceTexts(reviewTexts, reviewDe);
  replaceTexts(rulesTexts, rulesDe);
  replaceTexts(ruleWords, ruleWordsDe);
  replaceTexts(ruleForm, ruleFormDe);
  replaceTexts(settingsTexts, settingsDe);
  replaceTexts(starterSets, starterSetsDe);
  replaceTexts(starterTexts, starterDe);
  replaceTexts(shell, shellDe);
  replaceTexts(screenLabels, screensDe);
  replaceTexts(signInTexts, signInDe);
  replaceTexts(transactionTexts, transactionsDe);
  replaceTexts(bulkTexts, bulkDe);
  replaceTexts(searchWordTexts, searchWordsDe);
  replaceTexts(entryTexts, entryDe);
  replaceTexts(newRowTexts, newRowDe);
  replaceTexts(recordNames, recordNamesDe);
  replaceTexts(undoTexts, undoDe);
  replaceTexts(unsentTexts, unsentDe);
}
