import type { Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import type { CommitWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import type { PreviewReport } from '../operations/preview-schema.ts';
import { isEmpty, mapText, settingsOf, settingsToKeep } from '../memory.ts';
import { forgetImportSettings, importSettingsOf, keepImportSettings } from '../settings.ts';
import type { ImportSettings } from '../settings.ts';
import { checkedOptions } from './open-preview.ts';
import type { OpenPreview } from './open-preview.ts';

/** Returns settings with the names and values that options have in requests. */
export function rememberedToWire(settings: ImportSettings): PreviewOptions {
  const { map, dateFormat: date_format, account, ...rest } = settings;
  const { decimal, encoding, negate, currency } = rest;
  return given({
    account: account ?? undefined,
    map: map === undefined ? undefined : mapText(map),
    date_format,
    decimal,
    encoding,
    negate,
    currency,
  });
}

/**
 * Returns the remembered settings with which a file was shown, without some of them; null if it was not shown. They are
 * used again, because a preview is imported as it was shown, whatever is remembered meanwhile.
 */
export function shownSettings(
  report: PreviewReport | null,
  without: CommitWork['without'],
): ImportSettings | null {
  if (typeof report?.format !== 'string') return null;
  const left = Object.entries(report.remembered).filter(([name]) => {
    return !without.includes(name as keyof PreviewOptions);
  });
  const { account = null, ...options } = Object.fromEntries(left) as PreviewOptions;
  // A remembered name may look like a name by number.
  return settingsOf(checkedOptions(options).reading, { name: account, rest: null, byNumber: [] });
}

/** Remembers the options of an import for files with the same shape, without those that the request removed. */
export function* rememberOptions(
  { bookId, without }: CommitWork,
  { statement, shape, remembered, settled }: OpenPreview,
): Steps<void> {
  if (shape === null) return;
  const before = yield* importSettingsOf(bookId, shape);
  const base = { ...withoutOptions(before ?? {}), ...remembered };
  const isForgotten = before !== null && without.some((name) => name in rememberedToWire(before));
  const settings = settingsToKeep(statement, base, settled) ?? (isForgotten ? base : null);
  if (settings === null) return;
  if (isEmpty(settings)) yield* forgetImportSettings(bookId, shape);
  else yield* keepImportSettings(bookId, { shape, format: statement.format }, settings);
}

/** Returns what the command has settled and no option can say. */
function withoutOptions({ isWithoutPayee, account }: ImportSettings): ImportSettings {
  return {
    ...(isWithoutPayee !== undefined && { isWithoutPayee }),
    ...(account === null && { account }),
  };
}
