import { lazy, type ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';
import { screenLabels as labels } from '../texts/en/shell.ts';

/** A screen: where it is, how it is loaded, and its place in the navigation. */
export interface Screen {
  /** A pattern of wouter. The server gives the page for its first part, and everything below. */
  readonly path: string;
  readonly view: ComponentType;
  readonly label: string;
  readonly icon: IconName;
}

function screen(
  path: string,
  load: () => Promise<ComponentType>,
  icon: IconName & keyof typeof labels,
): Screen {
  return {
    path,
    view: lazy(async () => ({ default: await load() })),
    // Read when it is shown, in the language that was chosen meanwhile.
    get label() {
      return labels[icon];
    },
    icon,
  };
}

/**
 * All screens in the order of the navigation: by use. On phones the first four are in the bar, the others below "More".
 */
export const screens: readonly Screen[] = [
  screen('/', async () => (await import('./overview/overview.tsx')).Overview, 'overview'),
  screen(
    '/transactions/:id?',
    async () => (await import('./transactions/transactions.tsx')).Transactions,
    'transactions',
  ),
  screen('/review', async () => (await import('./review/review.tsx')).Review, 'review'),
  screen(
    '/accounts/:key?',
    async () => (await import('./accounts/accounts.tsx')).AccountsScreen,
    'accounts',
  ),
  screen('/budget/:period?', async () => (await import('./budget/budget.tsx')).Budget, 'budget'),
  screen('/reports/:kind?', async () => (await import('./reports/reports.tsx')).Reports, 'reports'),
  screen(
    '/recurring/:view?/:month?',
    async () => (await import('./recurring/recurring.tsx')).Recurring,
    'recurring',
  ),
  screen('/import/:id?', async () => (await import('./import/import.tsx')).Import, 'import'),
  screen(
    '/categories/:part?',
    async () => (await import('./categories/categories.tsx')).CategoriesScreen,
    'categories',
  ),
  screen('/rules', async () => (await import('./rules/rules.tsx')).RulesScreen, 'rules'),
  screen(
    '/history/:version?',
    async () => (await import('./history/history.tsx')).History,
    'history',
  ),
  screen(
    '/settings/:section?',
    async () => (await import('./settings/settings.tsx')).Settings,
    'settings',
  ),
];

/** How many screens are for every day; those that arrange the book follow, apart. */
export const daily = 8;

/** Where a link of the navigation leads: the path without its parameters. */
export function hrefOf({ path }: Screen): string {
  const parameters = path.search(/\/[:*]/);
  return (parameters === -1 ? path : path.slice(0, parameters)) || '/';
}
