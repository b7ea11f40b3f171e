import {
  settingsOf,
  budgetToWire,
  deleteBudget,
  moveBudget,
  upsertBudget,
  settingsToWire,
  updateSettings,
} from './actions.ts';
import { changed, noContent, ok } from '../../operations/responses.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import { refuseNothingToUpdate } from '../../operations/records.ts';
import {
  Budget,
  BudgetKey,
  BudgetMove,
  BudgetSettings,
  BudgetSettingsUpdate,
  BudgetUpsert,
  MovedBudgets,
} from './schema.ts';

const tag = 'budgets';
const periodRefusal =
  'A `start_date` on which no period starts is refused with 400; the first error has ' +
  '`requested_start_date`, `previous_valid_start_date` and `next_valid_start_date`.';

function* readSettings({ bookId }: { readonly bookId: number }) {
  return settingsToWire(yield* settingsOf(bookId));
}

/** The operations of budgets and of their settings. */
export const budgetRoutes: readonly Operation[] = [
  read(
    {
      id: 'getBudgetSettings',
      path: '/v2/budgets/settings',
      tag,
      summary: 'Get the settings of budgets',
      description: 'A book whose settings were never changed has the default settings.',
      response: ok(BudgetSettings, 'The settings.'),
    },
    readSettings,
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      id: 'upsertBudget',
      path: '/v2/budgets',
      tag,
      summary: 'Set a budget',
      description:
        'Creates or changes the budget of a category or group for the period that starts on `start_date`. ' +
        `An existing budget keeps its notes if \`notes\` is not sent. ${periodRefusal}`,
      body: BudgetUpsert,
      response: changed(Budget, 'The budget.'),
    },
    function* ({ body }, change) {
      return budgetToWire(yield* upsertBudget(change, body));
    },
  ),
  write(
    'DELETE',
    {
      id: 'deleteBudget',
      path: '/v2/budgets',
      tag,
      summary: 'Delete a budget',
      description: `A category without a budget for the period is no error. ${periodRefusal}`,
      query: BudgetKey,
      response: noContent('The category has no budget for the period.'),
    },
    function* ({ query }, change) {
      yield* deleteBudget(change, query);
    },
  ),
  write(
    'POST',
    {
      id: 'moveBudget',
      path: '/coffer/budgets/move',
      tag,
      summary: 'Move money between two budgets',
      description:
        'Makes the budget of one category smaller and that of another one larger, in one change. Both are in the ' +
        `primary currency then. ${periodRefusal}`,
      body: BudgetMove,
      response: changed(MovedBudgets, 'The two budgets.'),
    },
    function* ({ body }, change) {
      const { from, to } = yield* moveBudget(change, body);
      return { from: budgetToWire(from), to: budgetToWire(to) };
    },
  ),
  read(
    {
      id: 'getBookBudgetSettings',
      path: '/coffer/budget_settings',
      tag,
      summary: 'Get the settings of budgets',
      description: 'The same settings as `GET /v2/budgets/settings`.',
      response: ok(BudgetSettings, 'The settings.'),
    },
    readSettings,
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      id: 'updateBudgetSettings',
      path: '/coffer/budget_settings',
      tag,
      summary: 'Change the settings of budgets',
      description:
        'Settings that are not sent keep their values. Budgets are kept when the periods change; those that do not ' +
        'start a period are not shown until the periods fit them again.',
      body: BudgetSettingsUpdate,
      response: changed(BudgetSettings, 'The settings.'),
    },
    function* ({ body }, change) {
      refuseNothingToUpdate('budget setting', body);
      return settingsToWire(yield* updateSettings(change, body));
    },
  ),
];
