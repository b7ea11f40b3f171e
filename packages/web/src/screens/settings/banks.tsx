import { useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { formatTime } from '../../books/formats/dates.ts';
import type { Schemas } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { showFailure } from '../flow/own-changes.ts';
import { useSubmitting } from '../flow/submitting.tsx';
import { EndButton, RecordSection, useWrite } from './record-section.tsx';

const t = settingsTexts.banks;

type Connection = Schemas['Connection'];

/** The connections to banks, and their accounts. */
export function Banks(): ReactElement {
  const query = useRead(keys.settings, 'GET /coffer/connections', { staleTime: 0 });
  const { setup, connections } = query.data ?? {};
  return (
    <RecordSection
      name="banks"
      title={settingsTexts.sections.banks}
      hint={t.hint}
      action={
        setup === 'on' && (
          <OpenButton look="main" icon="plus" dialog={(close) => <NewConnection onClose={close} />}>
            {t.add}
          </OpenButton>
        )
      }
      note={setup !== undefined && setup !== 'on' && <p className="note">{t.lacks[setup]}</p>}
      query={{ ...query, data: connections }}
      empty={setup === 'on' && <p className="nothing">{t.none}</p>}
      line={(each) => <ConnectionLine key={each.id} connection={each} />}
    />
  );
}

/** Reads a connection, and says what came. */
function useReading(): (id: number) => Promise<void> {
  const cache = useQueryClient();
  return async (id) => {
    const path = { id };
    const { added } = await request('POST /coffer/connections/{id}/read', { path });
    showToast({ text: t.read(added) });
    await cache.invalidateQueries();
  };
}

function ConnectionLine({ connection }: { readonly connection: Connection }): ReactElement {
  const preferences = usePreferences();
  const write = useWrite();
  const read = useReading();
  const { problem, isBusy, submit } = useSubmitting();
  const { id, name, status, last_read: last, problems, accounts } = connection;
  const remove = async (): Promise<void> => {
    await write(() => request('DELETE /coffer/connections/{id}', { path: { id } }));
    showToast({ text: t.removed });
  };
  return (
    <li>
      <div>
        <p className="record-name">
          {name}
          {status !== 'active' && <span className="badge warn">{t.relink}</span>}
        </p>
        <p className="hint">
          {last === null ? t.unread : t.last(formatTime(last, preferences))}
          {accounts.map((account, at) => (
            <Fragment key={account.id}>
              {at === 0 ? ` · ${t.into} ` : ', '}
              <Link href={`/accounts/plaid-${account.id}`}>{account.name}</Link>
            </Fragment>
          ))}
        </p>
        {[...problems, ...(problem === null ? [] : [problem])].map((each) => (
          <p key={each} className="problem">
            {each}
          </p>
        ))}
        <div className="actions">
          <Button disabled={isBusy} onClick={() => void submit(() => read(id))}>
            {t.readNow}
          </Button>
          <EndButton
            label={t.remove}
            name={t.removeLabel(name)}
            title={t.removeLabel(name)}
            text={t.removeText}
            work={remove}
          />
        </div>
      </div>
    </li>
  );
}

/** Adds a connection, and reads it. */
function NewConnection({ onClose }: { readonly onClose: () => void }): ReactElement {
  const write = useWrite();
  const read = useReading();
  return (
    <FormDialog
      title={t.add}
      label={t.connect}
      schema="ConnectionInsert"
      intro={<p>{t.intro}</p>}
      begun={{ setup_token: '', name: t.name }}
      fields={() => [
        { name: 'setup_token', label: t.token },
        { name: 'name', label: t.nameLabel },
      ]}
      save={async (body) => {
        const { id } = await write(() => request('POST /coffer/connections', { body }));
        // It is there, whatever its bank says.
        void read(id).catch(showFailure);
      }}
      onClose={onClose}
    />
  );
}
