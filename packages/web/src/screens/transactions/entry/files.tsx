import { useRef } from 'react';
import type { ReactElement } from 'react';
import { request } from '../../../api/request.ts';
import type { Transaction } from '../../../api/types.ts';
import { Button } from '../../../parts/button.tsx';
import { entryTexts as t } from '../../../texts/en/transactions.ts';
import { useEditing } from '../list/use-editing.ts';

/** The files of a transaction: attach, download, delete. */
export function Files({ row }: { readonly row: Transaction }): ReactElement {
  const { attempt } = useEditing();
  const input = useRef<HTMLInputElement>(null);
  const attach = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const form = new FormData();
      form.append('file', file);
      await attempt(
        () => request('POST', `/v2/transactions/${row.id}/attachments`, { form }),
        t.attached,
      );
    }
  };
  const open = async (id: number): Promise<void> => {
    const path = `/v2/transactions/attachments/${id}`;
    const { url } = await request<{ readonly url: string }>('GET', path);
    // The link names the address that the server knows; the browser may have reached it by another name.
    const { pathname, search } = new URL(url);
    location.assign(pathname + search);
  };
  return (
    <section
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void attach([...event.dataTransfer.files]);
      }}
    >
      <h3>{t.files}</h3>
      <ul className="files">
        {(row.files ?? []).map(({ id, name }) => (
          <li key={id}>
            <Button look="quiet" icon="download" onClick={() => void attempt(() => open(id))}>
              <bdi>{name}</bdi>
            </Button>
            <Button
              look="quiet"
              icon="trash"
              aria-label={t.removeFile(name)}
              onClick={() =>
                void attempt(() => request('DELETE', `/v2/transactions/attachments/${id}`))
              }
            />
          </li>
        ))}
      </ul>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          void attach([...(currentTarget.files ?? [])]);
        }}
      />
      <Button look="quiet" icon="clip" onClick={() => input.current?.click()}>
        {t.attach}
      </Button>
    </section>
  );
}
