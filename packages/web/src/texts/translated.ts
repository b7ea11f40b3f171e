/** The same texts in another language. */
type InLanguage<T> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...given: infer Given) => string
      ? (...given: Given) => string
      : InLanguage<T[Name]>;
};

/** Puts texts in the place of those of another language, which every part of the page has. */
export function replaceTexts<T extends object>(texts: T, others: NoInfer<InLanguage<T>>): void {
  for (const [name, other] of Object.entries(others)) {
    const text: unknown = texts[name as keyof T];
    if (typeof text === 'object' && text !== null) replaceTexts(text, other as object);
    else Object.assign(texts, { [name]: other });
  }
}
