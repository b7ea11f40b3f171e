import { useState } from 'react';
import type { ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import { dateAt, formatDate } from '../../books/formats/dates.ts';
import { localesWith, nameOfLocale } from '../../books/formats/locales.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Money } from '../../parts/money.tsx';
import { setPreferences, usePreferences } from '../../parts/preferences.ts';
import { Segments } from '../../parts/fields/segments.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { settingsTexts } from '../../texts/en/settings.ts';

const t = settingsTexts.formats;
const exampleAmount = '-1234567.8900';

/** How numbers, dates and colours look in this browser. */
export function Formats(): ReactElement {
  const preferences = usePreferences();
  const { locale, dates, theme, hasLetterKeys, isPrivate } = preferences;
  const own = { value: '', label: t.browserLocale(nameOfLocale(navigator.language)) };
  const others = localesWith(locale).map(({ tag, name }) => ({ value: tag, label: name }));
  return (
    <section className="card stack" aria-label={settingsTexts.sections.formats}>
      <p className="hint">{t.hint}</p>
      <SelectField
        label={t.locale}
        value={locale}
        options={[own, ...others]}
        onChange={(next) => setPreferences({ locale: next })}
      />
      <Segments
        label={t.dates}
        value={dates}
        options={t.dateKinds}
        onChange={(next) => setPreferences({ dates: next })}
      />
      <Example />
      <Segments
        label={t.theme}
        value={theme}
        options={t.themes}
        onChange={(next) => setPreferences({ theme: next })}
      />
      <CheckField
        label={t.letterKeys}
        hint={t.letterKeysHint}
        isChecked={hasLetterKeys}
        onChange={(next) => setPreferences({ hasLetterKeys: next })}
      />
      <CheckField
        label={t.privacy}
        hint={t.privacyHint}
        isChecked={isPrivate}
        onChange={(next) => setPreferences({ isPrivate: next })}
      />
    </section>
  );
}

/** A date and an amount in the chosen formats. */
function Example(): ReactElement {
  const preferences = usePreferences();
  const { data } = useSession();
  const [today] = useState(() => dateAt(Date.now()));
  return (
    <dl className="example">
      <dt className="label">{t.example}</dt>
      <dd>
        {formatDate(today, 'medium', preferences)}
        <Money amount={exampleAmount} currency={data?.book?.primary_currency ?? 'eur'} />
      </dd>
    </dl>
  );
}
