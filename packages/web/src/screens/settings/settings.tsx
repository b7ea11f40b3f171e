import type { ComponentType, ReactElement } from 'react';
import { useParams } from 'wouter';
import { useRead, useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { urlOf } from '../../api/request.ts';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import { localesWith, nameOfLocale } from '../../books/formats/names.ts';
import type { Schemas } from '../../books/types.ts';
import { CheckField, Segments, SelectField } from '../../parts/fields/fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeader, SectionLinks } from '../../parts/page.tsx';
import { setPreferences, usePreferences, useToday } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { settingsTexts as t } from '../../texts/en/settings.ts';
import { Loaded } from '../flow/loaded.tsx';
import { Banks } from './banks.tsx';
import { SigningIn } from './signing-in.tsx';
import { Tokens } from './tokens.tsx';
import { Webhooks } from './webhooks.tsx';
import { OwnBook } from './own-book.tsx';

type Section = keyof typeof t.sections;

const views: Readonly<Record<Section, ComponentType>> = {
  formats: Formats,
  book: OwnBook,
  banks: Banks,
  'signing-in': SigningIn,
  tokens: Tokens,
  webhooks: Webhooks,
  download: Download,
};
const links = Object.entries(t.sections).map(([section, label]) => ({
  href: `/settings/${section}`,
  label,
}));

function isSection(text: string): text is Section {
  return Object.hasOwn(views, text);
}

/** The settings: a section for each part of the URL, formats first. */
export function Settings(): ReactElement {
  const { section = 'formats' } = useParams<{ section?: string }>();
  const View = isSection(section) ? views[section] : null;
  return (
    <>
      <PageHeader title={t.title} />
      <SectionLinks label={t.title} links={links} current={`/settings/${section}`} />
      <div className="settings">
        {View === null ? (
          <EmptyState icon="settings" title={t.noSection} hint={t.noSectionHint} />
        ) : (
          <View />
        )}
      </div>
    </>
  );
}

const exampleAmount = '-1234567.8900';

/** How numbers, dates and colours look in this browser. */
function Formats(): ReactElement {
  const preferences = usePreferences();
  const { language, locale, dates, theme, hasLetterKeys, isPrivate } = preferences;
  const own = { value: '', label: t.formats.browserLocale(nameOfLocale(navigator.language)) };
  const others = localesWith(locale).map(({ tag, name }) => ({ value: tag, label: name }));
  return (
    <section className="card stack" aria-label={t.sections.formats}>
      <p className="hint">{t.formats.hint}</p>
      <Segments
        label={t.formats.language}
        value={language}
        options={t.formats.languages}
        onChange={(next) => {
          setPreferences({ language: next });
          // Every text of the page is that of the language with which it was loaded.
          location.reload();
        }}
      />
      <SelectField
        label={t.formats.locale}
        value={locale}
        options={[own, ...others]}
        onChange={(next) => setPreferences({ locale: next })}
      />
      <Segments
        label={t.formats.dates}
        value={dates}
        options={t.formats.dateKinds}
        onChange={(next) => setPreferences({ dates: next })}
      />
      <Example />
      <Segments
        label={t.formats.theme}
        value={theme}
        options={t.formats.themes}
        onChange={(next) => setPreferences({ theme: next })}
      />
      <CheckField
        label={t.formats.letterKeys}
        hint={t.formats.letterKeysHint}
        value={hasLetterKeys}
        onChange={(next) => setPreferences({ hasLetterKeys: next })}
      />
      <CheckField
        label={t.formats.privacy}
        hint={t.formats.privacyHint}
        value={isPrivate}
        onChange={(next) => setPreferences({ isPrivate: next })}
      />
    </section>
  );
}

/** A date and an amount in the chosen formats. */
function Example(): ReactElement {
  const preferences = usePreferences();
  const { data } = useSession();
  const today = useToday();
  return (
    <dl className="example">
      <dt className="label">{t.formats.example}</dt>
      <dd>
        {formatDate(today, 'medium', preferences)}
        <Money amount={exampleAmount} currency={data?.book?.primary_currency ?? 'eur'} />
      </dd>
    </dl>
  );
}

/** Links that download the book, and how a whole backup is made. */
function Download(): ReactElement {
  return (
    <>
      <section className="card stack" aria-label={t.sections.download}>
        <p>{t.download.hint}</p>
        <ul className="records">
          <FileLine format="csv" label={t.download.csv} hint={t.download.csvHint} />
          <FileLine format="ndjson" label={t.download.ndjson} hint={t.download.ndjsonHint} />
        </ul>
        <p className="hint">
          {t.download.backup} <code>{t.download.command}</code> {t.download.backupEnd}
        </p>
      </section>
      <Backups />
    </>
  );
}

type FileLineProps = Readonly<{ format: 'csv' | 'ndjson'; label: string; hint: string }>;

function FileLine({ format, label, hint }: FileLineProps): ReactElement {
  return (
    <li>
      <p className="hint">{hint}</p>
      <a className="button" href={urlOf('GET /coffer/export', { query: { format } })} download>
        <Icon name="download" />
        {label}
      </a>
    </li>
  );
}

/** Where the server reads what it is not sent. */
function Sources(): ReactElement {
  const sources = useRead(keys.settings, 'GET /coffer/sources', {});
  return (
    <Loaded query={sources} lines={1}>
      {({ rates, prices }) => (
        <p className="hint">
          {t.backups.rates(rates ?? t.backups.nowhere)}{' '}
          {t.backups.prices(prices ?? t.backups.nowhere)}
        </p>
      )}
    </Loaded>
  );
}

/** When the server last made a backup, and whether that fails. */
function Backups(): ReactElement {
  // Read at each look, because the server makes them without a request.
  const backups = useRead(keys.settings, 'GET /coffer/backups', { staleTime: 0 });
  return (
    <section className="card stack" aria-labelledby="backups">
      <h2 id="backups">{t.backups.title}</h2>
      <Loaded query={backups} lines={1}>
        {(state) => <State state={state} />}
      </Loaded>
      <Sources />
    </section>
  );
}

function State({ state }: { readonly state: Schemas['BackupState'] }): ReactElement {
  const preferences = usePreferences();
  const { every_seconds, last_success_at: success, last_failure_at: failure, is_failing } = state;
  if (every_seconds === null) return <p className="hint">{t.backups.none}</p>;
  return (
    <>
      <p>
        {success === null ? t.backups.noneYet : t.backups.last(formatTime(success, preferences))}
      </p>
      {is_failing && failure !== null && (
        <p className="problem">{t.backups.failed(formatTime(failure, preferences))}</p>
      )}
    </>
  );
}
