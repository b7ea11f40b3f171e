import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import { request, urlOf } from '../../api/request.ts';
import { leave } from '../../api/session.ts';
import { TextField } from '../../parts/fields/fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { bookTexts } from '../../texts/en/book.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { BookFacts } from '../flow/book-facts.tsx';
import { Confirmed } from '../flow/submitting.tsx';
import { CurrencyDialog } from './currency-dialog.tsx';

const t = settingsTexts.book;

/** The name of the book, its currency, and all of it as a file. */
export function OwnBook(): ReactElement {
  const { data } = useSession();
  const { name = '', primary_currency: currency = '' } = data?.book ?? {};
  const whole = urlOf('GET /coffer/export', { query: { format: 'archive' } });
  return (
    <section className="card stack" aria-label={settingsTexts.sections.book}>
      <ul className="records">
        <li>
          <BookFacts isNameOnly />
        </li>
        <li>
          <p className="hint">{bookTexts.change.hint}</p>
          <OpenButton
            look="quiet"
            icon="edit"
            dialog={(close) => <CurrencyDialog from={currency} onClose={close} />}
          >
            {bookTexts.change.title}
          </OpenButton>
        </li>
        <li>
          <p className="hint">{t.wholeHint}</p>
          <a className="button" href={whole} download>
            <Icon name="download" />
            {t.whole}
          </a>
        </li>
        <li>
          <p className="hint">{t.deleteHint}</p>
          <OpenButton look="danger" dialog={(close) => <Deletion name={name} onClose={close} />}>
            {t.delete}
          </OpenButton>
        </li>
      </ul>
    </section>
  );
}

/** Deletes the book, once its name is typed. */
function Deletion(props: { readonly name: string; readonly onClose: () => void }): ReactElement {
  const { name, onClose } = props;
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const remove = async (): Promise<void> => {
    await request('DELETE /coffer/book', { body: { name: typed } });
    leave(cache);
  };
  return (
    <Confirmed
      title={t.delete}
      confirmLabel={t.delete}
      canConfirm={typed === name}
      work={remove}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
      <TextField label={t.deleteName(name)} value={typed} autoFocus onChange={setTyped} />
    </Confirmed>
  );
}
