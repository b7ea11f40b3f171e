import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { read, readsOf, useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { uploads, type Upload } from '../../api/uploads.ts';
import type { Verdict } from '../../books/imports/rows.ts';
import { pagesOf, type RowRange } from '../../books/rows/rows.ts';
import type {
  ImportCommit,
  ImportOptions,
  ImportPreview,
  ImportPreviewRow,
  ImportRecord,
  Schemas,
} from '../../books/types.ts';

const pollMs = 500;
const pageSize = 100;
const listed = 30;
const imports = readsOf(keys.imports, 'GET /coffer/imports');
const importOf = (id: number) => read(keys.imports, 'GET /coffer/imports/{id}', { path: { id } });
const rows = 'GET /coffer/imports/{id}/rows';

/** The files that this page sends or has sent. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploads.subscribe, () => uploads.state);
}

/** Previews that are not imported yet, the newest first. */
export function usePreviews(): UseQueryResult<readonly ImportRecord[]> {
  return useRead(keys.imports, 'GET /coffer/imports', {
    query: { is_preview: true },
    select: ({ imports }) => imports,
    staleTime: 0,
  });
}

/** Imports that have happened, the newest first, page by page. */
export function usePastImports(): UseInfiniteQueryResult<InfiniteData<Schemas['ImportList']>> {
  return useInfiniteQuery({
    queryKey: [...imports.queryKey, 'past'],
    queryFn: ({ pageParam: offset, signal }) =>
      request('GET /coffer/imports', { query: { limit: listed, offset }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.has_more ? pages.length * listed : undefined),
    staleTime: 0,
  });
}

/** Whether the server works on an import. */
function isBusy({ preview, work }: ImportRecord): boolean {
  const isRead = preview?.status === 'reading' || preview?.status === 'committing';
  return isRead || work?.is_under_way === true;
}

/** An import or its preview, read again while the server works on it. */
export function useImport(id: number): UseQueryResult<ImportRecord> {
  const refresh = useRefresh();
  const query = useRead(keys.imports, 'GET /coffer/imports/{id}', {
    path: { id },
    refetchInterval: ({ state }) =>
      state.data !== undefined && isBusy(state.data) ? pollMs : false,
    staleTime: 0,
  });
  const status = query.data?.status;
  useEffect(() => {
    if (status !== undefined && status !== 'preview') refresh();
  }, [status, refresh]);
  return query;
}

/** Returns what reads everything again that an import changes. */
function useRefresh(): () => void {
  const cache = useQueryClient();
  return useCallback(() => {
    const areas = [keys.transactions, keys.accounts, keys.categories, keys.tags, keys.changes];
    for (const queryKey of [...areas, imports.queryKey]) void cache.invalidateQueries({ queryKey });
  }, [cache]);
}

/** Returns the rows of a preview by their places, as far as they are loaded. */
export function useRows(
  id: number,
  verdict: Verdict | null,
  range: RowRange,
): (place: number) => ImportPreviewRow | undefined {
  const pages = pagesOf(range, pageSize);
  const results = useQueries({
    queries: pages.map((page) => ({
      ...read(keys.imports, rows, {
        path: { id },
        query: { ...(verdict !== null && { verdict }), limit: pageSize, offset: page * pageSize },
      }),
      placeholderData: keepPreviousData,
      staleTime: Infinity,
    })),
  });
  return (place) => {
    const page = pages.indexOf(Math.floor(place / pageSize));
    return results[page]?.data?.rows[place % pageSize];
  };
}

/** Imports a preview. A refusal, or a response that was lost, shows what the server has now. */
export function useCommit(
  id: number,
): UseMutationResult<ImportRecord | ImportPreview, Error, ImportCommit> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body) => request('POST /coffer/imports/{id}/commit', { path: { id }, body }),
    onSuccess: () => cache.invalidateQueries(importOf(id)),
    // Not awaited: while the server cannot be reached, the failure would wait for it.
    onError: () => {
      void cache.invalidateQueries(importOf(id));
      // An import that has happened has no rows of a preview any more.
      void cache.invalidateQueries(read(keys.imports, rows, { path: { id } }));
    },
  });
}

const discard = (id: number): Promise<undefined> =>
  request('DELETE /coffer/imports/{id}', { path: { id } });

/** Deletes a preview. */
export function useDiscard(): UseMutationResult<undefined, Error, number> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: discard,
    onSuccess: (_nothing, id) => {
      const upload = uploads.of(id);
      if (upload !== undefined) uploads.remove(upload.key);
    },
    onSettled: refresh,
  });
}

/** How a file is read again. */
export interface Rereading {
  readonly file: File;
  readonly options: ImportOptions;
}

/** Makes the preview of a file again, in another way. The earlier preview is discarded. */
export function useReadAgain(id: number): UseMutationResult<ImportPreview, Error, Rereading> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ file, options }) => uploads.readAgain(id, file, options),
    onSuccess: async () => {
      await discard(id).catch(() => undefined);
      refresh();
    },
  });
}

/** The undo of an import, or the undo of that. */
export interface Undoing {
  readonly id: number;
  readonly kind: 'undo' | 'redo';
  readonly conflicts: 'skip' | undefined;
}

/** Undoes an import, or restores it. A large one goes on in the background. */
export function useUndoImport(): UseMutationResult<Schemas['ImportUndo'], Error, Undoing> {
  const cache = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, kind, conflicts }) =>
      kind === 'redo'
        ? request('POST /coffer/imports/{id}/redo', { path: { id } })
        : request('POST /coffer/imports/{id}/undo', {
            path: { id },
            query: conflicts === undefined ? {} : { conflicts },
          }),
    onSettled: (_result, _error, { id }) => {
      refresh();
      void cache.invalidateQueries(importOf(id));
    },
  });
}
