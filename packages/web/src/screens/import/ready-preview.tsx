import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { useAccounts } from '../../api/hooks.ts';
import { uploads } from '../../api/uploads.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { negate, unitsOf } from '../../books/formats/money.ts';
import { accountLines, canName, isGuess } from '../../books/imports/options.ts';
import {
  choicesOf,
  countImported,
  noDecisions,
  readDecisions,
  writeDecisions,
  verdicts as all,
  decideDoubtful,
  keepsAllDoubtful,
} from '../../books/imports/rows.ts';
import type { Decisions } from '../../books/imports/rows.ts';
import type { ImportOptions, ImportPreview } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/fields/combobox.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { usePageKey } from '../../parts/keys.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { useCommit, useReadAgain } from './data.ts';
import { DiscardButton, Days } from './file-buttons.tsx';
import { FileButton } from '../flow/file-button.tsx';
import { PreviewRows, type DecidedProps } from './preview-rows.tsx';
import { ReadingForm } from './reading-form.tsx';

/** Decisions of a person, which a reload finds again in this tab. */
function useDecisions(id: number): [Decisions, (decisions: Decisions) => void] {
  const key = `coffer.import.${id}`;
  const [decisions, setDecisions] = useState(() => readDecisions(sessionStorage.getItem(key)));
  useEffect(() => {
    if (decisions === noDecisions) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, writeDecisions(decisions));
  }, [key, decisions]);
  return [decisions, setDecisions];
}

/** What an import of a file would do: every row with its verdict, and what can be changed before it happens. */
export function ReadyPreview({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { id, options } = preview;
  const name = preview.file_name ?? t.unnamed;
  const [decisions, setDecisions] = useDecisions(id);
  const [file, setFile] = useState(() => uploads.of(id)?.file ?? null);
  const [, navigate] = useLocation();
  const commit = useCommit(id);
  const readAgain = useReadAgain(id);
  const count = countImported(preview, decisions);
  const [account, setAccount] = useState<ChosenAccount | null>(null);
  const [isChanging, setIsChanging] = useState(false);
  const isUnnamed = account === null && preview.accounts.some((each) => each.name === null);
  const isWorking = commit.isPending || readAgain.isPending;
  const run = (): void => {
    const { keepsDoubtful } = decisions;
    const on_doubt = keepsDoubtful === true ? ('keep' as const) : ('skip' as const);
    commit.mutate({
      ...(keepsDoubtful !== null && { on_doubt }),
      ...(account !== null && { account: account.option }),
      rows: choicesOf(decisions),
    });
  };
  const read = (next: ImportOptions, by: File | null, search = ''): void => {
    if (by === null) return;
    setFile(by);
    readAgain.mutate(
      { file: by, options: next },
      { onSuccess: (made) => navigate(`/import/${made.id}${search}`, { replace: true }) },
    );
  };
  const giveAccount = (chosen: ChosenAccount): void => {
    if (file === null) setAccount(chosen);
    else read({ ...options, account: chosen.option }, file);
  };
  const main = useMainButton(!isUnnamed);
  // Rows without an account are imported by the button that says so, never by a key alone.
  usePageKey('Enter', isWorking || count === 0 || isUnnamed ? null : run);
  return (
    <div className="import-preview">
      <PageHeader title={name} summary={<PreviewSummary preview={preview} />}>
        <DiscardButton id={id} name={name} />
        <Button
          ref={main}
          look="main"
          icon="check"
          disabled={isWorking || count === 0}
          onClick={run}
        >
          {commit.isPending
            ? t.importing
            : count === 0
              ? t.importNothing
              : isUnnamed
                ? t.importUnnamed(count)
                : t.import(count)}
        </Button>
      </PageHeader>
      <Refusal error={commit.error ?? readAgain.error} />
      {isUnnamed && <ChoiceNote preview={preview} onChoose={giveAccount} />}
      {account === null && !isChanging && (
        <GuessNote preview={preview} onChange={() => setIsChanging(true)} />
      )}
      <PreviewNotes {...{ preview, decisions }} onDecide={setDecisions} />
      <div className="preview-sides">
        <PreviewAccounts
          preview={preview}
          chosen={account}
          onChoose={giveAccount}
          isOpen={isChanging}
          onOpen={setIsChanging}
        />
        <PreviewReading
          preview={preview}
          file={file}
          options={options}
          isWorking={readAgain.isPending}
          onRead={(next, by) => read(next, by ?? file, `?${openPanel}`)}
        />
      </div>
      <PreviewRows preview={preview} decisions={decisions} onDecide={setDecisions} />
    </div>
  );
}

/** The account that a person chose for rows without one, as the option `account` has it. */
interface ChosenAccount {
  readonly name: string;
  readonly option: string;
}

/** The search of the page while the panel is open that says how the file is read. */
const openPanel = 'reading=open';

/** The main button has the focus at the beginning if Enter imports. */
function useMainButton(isFocused: boolean): React.RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement === document.body;
    if (isFocused && isFree) button.current?.focus();
  }, [isFocused]);
  return button;
}

/** Why an import, or another reading, was refused. */
function Refusal({ error }: { readonly error: Error | null }): ReactElement | null {
  if (error === null) return null;
  const isChanged = error instanceof ApiError && error.status === 409;
  return (
    <p className="notice card-notice" role="alert">
      {isChanged ? t.verdictsChanged : `${t.failed}: ${describeError(error)}`}
    </p>
  );
}

/** One line about a file: its rows, its days, its sums, its format. */
function PreviewSummary({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { verdicts, sums, format } = preview;
  const count = all.reduce((sum, verdict) => sum + verdicts[verdict], 0);
  return (
    <span className="fact-line">
      <span>{t.rows(count)}</span>
      <Days of={preview} />
      {sums.slice(0, 3).map(({ currency, amount }) => (
        <span key={currency}>
          <Money amount={negate(amount)} currency={currency} sign="debit" />
        </span>
      ))}
      {format !== null && <span>{format.toUpperCase()}</span>}
    </span>
  );
}

/** How a file was read, folded away until somebody wants to change it. */
function PreviewReading(props: {
  readonly preview: ImportPreview;
  readonly file: File | null;
  readonly options: ImportOptions;
  readonly isWorking: boolean;
  readonly onRead: (options: ImportOptions, file?: File) => void;
}): ReactElement {
  const { preview, file, options, isWorking, onRead } = props;
  const { mapping, remembered } = preview;
  const hasMemory = Object.keys(remembered).length > 0;
  const [search] = useSearchParams();
  return (
    <details className="card reading" open={search.has('reading')}>
      <summary>
        <h2>{t.howRead}</h2>
        <span className="hint">
          {isWorking ? t.readingAgain : hasMemory ? t.remembered : readAs(preview)}
        </span>
      </summary>
      {file === null ? (
        <div className="stack">
          <p>{t.fileNeeded}</p>
          <div className="actions">
            <FileButton label={t.chooseAgain} onFile={(chosen) => onRead(options, chosen)} />
          </div>
        </div>
      ) : (
        <ReadingForm
          file={file}
          options={options}
          mapping={mapping}
          remembered={remembered}
          problems={[]}
          warnings={preview.warnings}
          isWorking={isWorking}
          onRead={onRead}
        />
      )}
    </details>
  );
}

function readAs({ mapping, format }: ImportPreview): string {
  if (mapping === null) return (format ?? '').toUpperCase();
  const { date_format: dates, encoding } = mapping;
  return t.readAs(dates, encoding);
}

/** Notes about doubtful and bad rows, about records that are created, and the warnings of the reader. */
function PreviewNotes({ preview, decisions, onDecide }: DecidedProps): ReactElement {
  const { verdicts, warnings, without_rate: withoutRate } = preview;
  const { accounts_created: accounts, categories_created: categories } = preview;
  const keepsDoubtful = keepsAllDoubtful(preview, decisions);
  const created = t.creates(accounts, categories, preview.tags_created);
  const notes = [
    ...(preview.imported === 0 && verdicts.bad === 0 ? [t.nothingHint] : []),
    ...(created === '' ? [] : [created]),
    ...(withoutRate > 0 ? [t.withoutRate(withoutRate)] : []),
    ...warnings.map(({ line, text }) =>
      line === null ? t.warning(text) : `${t.line} ${line}: ${t.warning(text)}`,
    ),
    ...preview.left_out.map(({ what, count }) => `${t.leftOutLines}: ${count} ${what}`),
  ];
  return (
    <div className="stack">
      {verdicts.doubtful > 0 && (
        <Note icon="info" text={t.doubtfulTitle(verdicts.doubtful)}>
          <Choice
            isChosen={keepsDoubtful === true}
            label={t.keepDoubtful}
            onChoose={() => onDecide(decideDoubtful(true, decisions))}
          />
          <Choice
            isChosen={keepsDoubtful === false}
            label={t.skipDoubtful}
            onChoose={() => onDecide(decideDoubtful(false, decisions))}
          />
        </Note>
      )}
      {verdicts.bad > 0 && <BadNote count={verdicts.bad} />}
      {notes.length > 0 && (
        <ul className="preview-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Says that the account is only that of an earlier file with the same columns. */
function GuessNote(props: {
  readonly preview: ImportPreview;
  readonly onChange: () => void;
}): ReactElement | null {
  const { data } = useAccounts();
  const name = props.preview.accounts[0]?.name;
  if (!isGuess(props.preview) || (data?.manual.length ?? 0) < 2) return null;
  return (
    <Note icon="info" text={t.accountGuess(name ?? '')}>
      <Button onClick={props.onChange}>{t.accountChange}</Button>
    </Note>
  );
}

/** Offers the accounts of earlier files with the same columns, if they were several. */
function ChoiceNote(props: {
  readonly preview: ImportPreview;
  readonly onChoose: (chosen: ChosenAccount) => void;
}): ReactElement | null {
  const { preview, onChoose } = props;
  const { account_choices: names = [] } = preview;
  if (names.length === 0) return null;
  return (
    <Note icon="info" text={t.accountChoices}>
      {names.map((name) => (
        <Button
          key={name}
          onClick={() => onChoose({ name, option: accountLines(preview, null, name) })}
        >
          <bdi>{name}</bdi>
        </Button>
      ))}
    </Note>
  );
}

function BadNote({ count }: { readonly count: number }): ReactElement {
  const [, setSearch] = useSearchParams();
  return (
    <Note icon="warning" text={t.badTitle(count)}>
      <Button onClick={() => setSearch({ show: 'bad' }, { replace: true })}>{t.showBad}</Button>
    </Note>
  );
}

function Note(props: {
  readonly icon: 'info' | 'warning';
  readonly text: string;
  readonly children: React.ReactNode;
}): ReactElement {
  return (
    <div className="notice card-notice">
      <Icon name={props.icon} />
      <p>{props.text}</p>
      <div className="actions">{props.children}</div>
    </div>
  );
}

type ChoiceProps = Readonly<{ isChosen: boolean; label: string; onChoose: () => void }>;

function Choice({ isChosen, label, onChoose }: ChoiceProps): ReactElement {
  return (
    <Button aria-pressed={isChosen} onClick={onChoose} {...(isChosen && { icon: 'check' })}>
      {label}
    </Button>
  );
}

/** The accounts that the rows belong to, existing ones and new ones, and a way to choose others. */
function PreviewAccounts(props: {
  readonly preview: ImportPreview;
  readonly chosen: ChosenAccount | null;
  readonly onChoose: (chosen: ChosenAccount) => void;
  /** Whether the only account is changed. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}): ReactElement {
  const { preview, chosen, onChoose, isOpen, onOpen } = props;
  const { accounts } = preview;
  return (
    <section className="card stack" aria-labelledby="accounts-title">
      <h2 id="accounts-title">{t.accountsTitle}</h2>
      <ul className="preview-accounts">
        {accounts.map((account) => (
          <li key={account.name ?? ''}>
            <PreviewAccount
              account={account}
              chosen={
                account.name === null || accounts.length === 1 ? (chosen?.name ?? null) : null
              }
              {...(accounts.length === 1 && { isOpen, onOpen })}
              isChangeable={canName(preview, account.name)}
              onName={(name) =>
                onChoose({ name, option: accountLines(preview, account.name, name) })
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PreviewAccount(props: {
  readonly account: ImportPreview['accounts'][number];
  /** Which account its rows go to, if it is not read again; null if nobody has chosen. */
  readonly chosen: string | null;
  readonly isChangeable: boolean;
  readonly isOpen?: boolean;
  readonly onOpen?: (isOpen: boolean) => void;
  readonly onName: (name: string) => void;
}): ReactElement {
  const { account, chosen, isChangeable, onName } = props;
  const { id, rows, sums } = account;
  const name = chosen ?? account.name;
  const currency = sums[0]?.currency ?? 'usd';
  const [isOwnOpen, setIsOwnOpen] = useState(false);
  const { isOpen = isOwnOpen, onOpen: setIsOpen = setIsOwnOpen } = props;
  const isChoosing = isChangeable && (isOpen || name === null);
  const isKnown = id === null ? t.accountNew : t.accountKnown;
  return (
    <div className="stack">
      <div className="preview-account">
        <div>
          <p className="file-name">{name ?? t.accountMissing}</p>
          <p className="hint">
            {name === null ? t.accountMissingHint : chosen === null ? isKnown : t.accountChosen}
          </p>
        </div>
        <p className="end">
          {sums.map(({ currency, amount }) => (
            <Money key={currency} amount={negate(amount)} currency={currency} sign="debit" />
          ))}
          <span className="hint">{t.rows(rows)}</span>
        </p>
        {account.balance !== null && <StatedBalance {...account.balance} currency={currency} />}
        {isChangeable && name !== null && !isOpen && (
          <Button aria-label={t.accountOf(name)} onClick={() => setIsOpen(true)}>
            {t.accountChange}
          </Button>
        )}
      </div>
      {isChoosing && (
        <AccountField
          label={name === null ? t.accountChoose : t.accountOf(name)}
          hasFocus={isOpen}
          onName={(next) => {
            setIsOpen(false);
            onName(next);
          }}
          onCancel={() => setIsOpen(false)}
        />
      )}
    </div>
  );
}

/** The balance in the file, and whether the rows make it. */
function StatedBalance(
  props: NonNullable<ImportPreview['accounts'][number]['balance']> & { readonly currency: string },
): ReactElement {
  const { day, balance, difference, currency } = props;
  const preferences = usePreferences();
  const isRight = difference !== null && unitsOf(difference) === 0n;
  return (
    <p className="stated hint">
      {t.balanceOn(formatDate(day, 'medium', preferences))}{' '}
      <Money amount={balance} currency={currency} />
      {isRight && ` · ${t.balanceMatches}`}
      {difference !== null && !isRight && (
        <strong>
          {' · '}
          <Money amount={difference} currency={currency} sign="change" /> {t.balanceDiffers}
        </strong>
      )}
    </p>
  );
}

/** Finds an account of the book by some letters, or names a new one. */
function AccountField(props: {
  readonly label: string;
  readonly hasFocus: boolean;
  readonly onName: (name: string) => void;
  readonly onCancel: () => void;
}): ReactElement {
  const { label, hasFocus, onName, onCancel } = props;
  const { data } = useAccounts();
  const known = (data?.manual ?? []).filter(({ status }) => status === 'active');
  return (
    <Combobox
      label={label}
      placeholder={t.accountPlaceholder}
      options={known.map(({ id, name }) => ({ id, name }))}
      hasFocus={hasFocus}
      onChoose={(option) => {
        if (option !== null) onName(option.name);
      }}
      onCreate={onName}
      onCancel={onCancel}
    />
  );
}
