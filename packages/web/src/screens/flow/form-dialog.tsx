import { lazy, Suspense, useState, type ComponentType, type ReactElement } from 'react';
import type { FormProps } from './form.tsx';

type AnyForm = ComponentType<object>;
/** Loaded at the same time as a screen with forms, which does not wait for it. */
const form = (async () => (await import('./form.tsx')).Form as AnyForm)();
const late = { Form: lazy(async () => ({ default: await form })) as AnyForm };
// Once it is there it is rendered in the same step as the key, so that the next letters are typed into it.
void form.then((loaded) => Object.assign(late, { Form: loaded }));

/** A dialog with a form that is sent to the server. */
export function FormDialog<T extends object>(props: FormProps<T>): ReactElement {
  // The same one until it closes: another one would begin with nothing typed.
  const [Form] = useState(() => late.Form);
  return (
    <Suspense>
      <Form {...props} />
    </Suspense>
  );
}
