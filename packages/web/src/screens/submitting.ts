import { useState } from 'react';
import { describeError } from '../api/errors.ts';

/** The state of a form that is sent to the server. */
export interface Submitting {
  /** Why the last attempt failed; null when nothing is wrong. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** Does the work. What fails is shown as the problem, and what was typed stays. */
  readonly submit: (work: () => Promise<unknown>) => Promise<void>;
}

/** Sends a form, one attempt at a time. */
export function useSubmitting(): Submitting {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (work: () => Promise<unknown>): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setIsBusy(false);
    }
  };
  return { problem, isBusy, submit };
}
