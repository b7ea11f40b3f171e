/** The forms of a text by number, with `#` for the number. Languages without a form use `other`. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string;
};

let language = 'en';
let rules = new Intl.PluralRules(language);
let numbers = new Intl.NumberFormat();

/** The language of the texts, by BCP 47. */
export function textLanguage(): string {
  return language;
}

/** Sets the language whose plural forms are used. */
export function setTextLanguage(next: string): void {
  language = next;
  rules = new Intl.PluralRules(next);
}

/** Sets the locale of the numbers in texts; empty for that of the browser. */
export function setTextLocale(locale: string): void {
  numbers = new Intl.NumberFormat(locale === '' ? undefined : locale);
}

/** Writes a whole number as texts do. */
export function wholeNumber(count: number): string {
  return numbers.format(count);
}

/** Returns the form for a number, with the number written by the locale of texts. */
export function plural(count: number, forms: Forms): string {
  return (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count));
}

/** Returns a text that takes a form by its number. */
export function counted(forms: Forms): (count: number) => string {
  return (count) => plural(count, forms);
}
