import { useState } from 'react';
import { isProved } from '../../api/errors.ts';
import { partTexts as t } from '../../texts/en/parts.ts';

/** Asks once more before it changes what a proved balance depends on. */
export interface Asking {
  /** What the button says that confirms it; null while nothing is asked. */
  readonly label: string | null;
  /** Sends a request, with `force` if it was asked before. Rejects with what it asks. */
  readonly send: <T>(request: (force: boolean) => Promise<T>) => Promise<T>;
}

/** Asks where the server says that a balance is proved. */
export function useAsking(): Asking {
  const [isAsked, setIsAsked] = useState(false);
  return {
    label: isAsked ? t.anyway : null,
    send: async (request) => {
      try {
        return await request(isAsked);
      } catch (error) {
        if (!isProved(error)) throw error;
        setIsAsked(true);
        throw new Error(t.proved);
      }
    },
  };
}
