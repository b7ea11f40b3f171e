/* Measures one part for run.ts, which sends the name and the plan of the part, and gets its figures. */
import { parts } from './parts.ts';
import type { PartRequest } from './measure/plan.ts';

process.once('message', (request: PartRequest) => {
  measure(request).then(
    (figures) => process.send?.(figures, () => process.exit()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

// A part must not outlive a bench that was stopped.
process.on('disconnect', () => process.exit(1));

async function measure({ name, plan }: PartRequest) {
  const part = parts[name];
  if (part === undefined) throw new Error(`Unknown part: ${name}`);
  return part(plan);
}
