/** The texts of signing in. */
export const signInTexts = {
  title: 'Sign in',
  again: 'Sign in to continue',
  againHint: 'Your session has ended. What you typed is kept, and is saved when you are signed in.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  passkey: 'Use a passkey',
  byLink: 'No password yet? On the computer that runs Coffer, run',
  byLinkEnd: 'and open the link that it prints.',
  command: 'coffer sign-in',
  start: 'Signing in',
  startHint: 'One moment.',
  startFailed: 'This link does not work',
  startFailedHint: 'A link works once, for 15 minutes. Print another one:',
  noSecret: 'The link is incomplete: open it as it was printed, with all that follows the #',
  cancelled: 'No passkey was used',
} as const;
