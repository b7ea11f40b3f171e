import type { ReactElement } from 'react';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

/** How the user signs in, and where the user is signed in. */
export function SigningIn(): ReactElement {
  return (
    <div className="stack">
      <Passkeys />
      <Password />
      <Sessions />
    </div>
  );
}
