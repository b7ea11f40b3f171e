import { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { AccountNamesError } from '../account-plan.ts';
import { ImportRefusedError } from '../entry.ts';
import { withOptionNames } from './option-names.ts';
import { problemText } from './open-preview.ts';

/** Returns the Problem of a file that cannot be read or imported, and any other error as it is. */
export function asProblem(error: unknown): unknown {
  if (error instanceof AccountNamesError)
    return bodyProblem({ errMsg: error.message, invalid_property: 'account' });
  if (!(error instanceof StatementError || error instanceof ImportRefusedError)) return error;
  const { problems, problemCount } = error;
  const details = problems.map((each): ErrorDetail => {
    const { line, column, value } = each;
    const reason = withOptionNames(each.reason);
    return { errMsg: problemText(each), line, column, value, reason };
  });
  const more = problemCount - details.length;
  // A response has room for a hundred.
  if (more > 0) details[details.length - 1] = { errMsg: `and ${more + 1} more problems` };
  return bodyProblem(...details);
}

/** Returns what is wrong; one sentence for an error that is no Problem, which belongs in the log. */
export function detailsOf(error: unknown): readonly ErrorDetail[] {
  const problem = asProblem(error);
  if (problem instanceof Problem) return problem.details;
  return [{ errMsg: 'The service could not finish the work: try again' }];
}
