/** The forms of a text by number, with `#` for the number. Languages without a form use `other`. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string;
};

const rules = new Intl.PluralRules('en');

/** Returns the form for a number, with the number written by the locale. */
export function plural(count: number, forms: Forms, locale = ''): string {
  const number = new Intl.NumberFormat(locale === '' ? undefined : locale).format(count);
  return (forms[rules.select(count)] ?? forms.other).replace('#', number);
}
