import { textLanguage } from '../../texts/plural.ts';

/** Returns the currencies to choose from, the present one among them, with their names. */
export function currenciesWith(present: string): { value: string; label: string }[] {
  const codes = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase());
  const names = new Intl.DisplayNames([textLanguage()], { type: 'currency' });
  const all = codes.includes(present) ? codes : [present, ...codes];
  return all.map((value) => {
    const code = value.toUpperCase();
    return { value, label: `${code} · ${names.of(code) ?? ''}` };
  });
}
