import type { recordNames, undoTexts } from '../en/undo.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of undos that meet later changes. */
export const undoDe: InLanguage<typeof undoTexts> = {
  redo: 'Wiederherstellen',
  conflicts: 'Datensätze wurden seither geändert',
  conflictsHint:
    'Das Rückgängigmachen würde diese späteren Änderungen verlieren. Behalte die Datensätze, wie sie sind, und mach den Rest rückgängig, oder zuerst die späteren Änderungen.',
  moreConflicts: (count) => `Und ${plural(count, { one: '# weiterer', other: '# weitere' })}`,
  skip: 'Diese behalten, den Rest rückgängig machen',
  nothingLeft: 'Alles wurde seither geändert: Es bleibt nichts rückgängig zu machen.',
  cancel: 'Abbrechen',
  kept: (count) =>
    plural(count, {
      one: '# Datensatz blieb, wie er jetzt ist',
      other: '# Datensätze blieben, wie sie jetzt sind',
    }),
  blocked: (count) =>
    `Deswegen ${plural(count, { one: 'bleibt # Datensatz', other: 'bleiben # Datensätze' })} unverändert`,
  reasons: {
    'changed since': 'wurde seither geändert',
    'removed since': 'wurde seither gelöscht',
    'used since': 'wird von etwas Neuerem benutzt',
    'taken since': 'sein Platz oder Name ist inzwischen vergeben',
    'imported since': 'wurde seither noch einmal importiert',
  },
  column: (column, reason) => `${column} ${reason}`,
  pruned:
    'Der Verlauf dieses Buchs reicht nicht mehr bis zu dieser Änderung zurück, daher kann sie nicht rückgängig gemacht werden.',
  undoneAlready: (version) => `Schon rückgängig gemacht, durch Version ${version}`,
};

/** The names of one record, and of several. */
export const recordNamesDe: InLanguage<typeof recordNames> = {
  connections: { one: 'Verbindung', other: 'Verbindungen' },
  manual_accounts: { one: 'Konto', other: 'Konten' },
  plaid_accounts: { one: 'verbundenes Konto', other: 'verbundene Konten' },
  categories: { one: 'Kategorie', other: 'Kategorien' },
  tags: { one: 'Tag', other: 'Tags' },
  recurring_items: { one: 'wiederkehrende Buchung', other: 'wiederkehrende Buchungen' },
  transfers: { one: 'Umbuchung', other: 'Umbuchungen' },
  transactions: { one: 'Buchung', other: 'Buchungen' },
  transaction_files: { one: 'Anhang', other: 'Anhänge' },
  budgets: { one: 'Budget', other: 'Budgets' },
  budget_settings: { one: 'Budgeteinstellung', other: 'Budgeteinstellungen' },
  book_settings: { one: 'Einstellung des Buches', other: 'Einstellungen des Buches' },
  rules: { one: 'Regel', other: 'Regeln' },
  crypto_synced_accounts: { one: 'Kryptokonto', other: 'Kryptokonten' },
  crypto_synced_balances: { one: 'Kryptostand', other: 'Kryptostände' },
  crypto_manual_accounts: { one: 'Kryptowert', other: 'Kryptowerte' },
  deleted_accounts: { one: 'gelöschtes Konto', other: 'gelöschte Konten' },
  balance_history: { one: 'früherer Stand', other: 'frühere Stände' },
};
