export const signIn = {
  title: 'Sign in',
  usernameOrEmail: 'Username or e-mail address',
  submit: 'Sign in',
  otherWays: 'Other ways',
  withProvider: (name: string) => `Sign in with ${name}`,
  keepSignedIn: (days: number) => `Keep me signed in for ${days === 1 ? 'a day' : `${days} days`}`,
  rememberDevice: (days: number) =>
    `Do not ask on this device for ${days === 1 ? 'a day' : `${days} days`}`,
  beginAnew: 'Start over',
  problems: {
    wrong: 'Username or password is not right.',
    missing: 'Enter your username and your password.',
    captcha: 'Enter your password once more. Your browser has to solve a small task first.',
    throttled: 'There were too many attempts. For the protection of the account, wait a while.',
    throttledCode:
      'There were too many wrong codes. For the protection of the account, wait a while.',
    ended: 'Your sign-in took too long, or was begun in another browser. Please begin again.',
  },
  again: {
    title: 'Confirm that it is you',
    lead: 'For what you are about to do, sign in once more.',
  },
  arrival: {
    title: 'One moment',
    text: 'This page is loaded once more. If nothing happens, go on by yourself.',
  },
  newPassword: {
    title: 'Choose a new password',
    lead: 'Your password must be replaced before you go on. You are signed out elsewhere.',
    submit: 'Save the password',
  },
  enrolment: {
    title: 'Set up a second factor',
    lead: 'Your account needs a second factor in addition to the password: a code from an authenticator app on your phone. Any app for one-time codes works.',
    passkey:
      'Or use a passkey instead of the app: the fingerprint, the face or the PIN of a device.',
    scan: '1. Scan this code with the app',
    orType: 'Or type it in:',
    thenCode: '2. Enter the code that the app shows',
  },
  recoveryCodes: {
    title: 'Your recovery codes',
    lead: 'Without your phone, each of these codes lets you in once. Keep them in a safe place: they are not shown again.',
    submit: 'I have kept them: continue',
  },
  signOut: {
    title: 'Sign out?',
    lead: (username: string) => `You are signed in as ${username}.`,
    doneTitle: 'Signed out',
    done: 'You are signed out in this browser.',
    backTo: (host: string) => `Back to ${host}`,
    notSignedIn: 'You are not signed in in this browser.',
    shared: 'On a shared computer',
    provider: (name: string) => `Log out of ${name} as well`,
    providerTitle: (name: string) => `Sign out of ${name}?`,
    hereAndThere: (username: string, name: string) =>
      `You are signed in as ${username}. Your session here ends, and you continue to ${name} to sign out there.`,
    there: (name: string) =>
      `You are not signed in in this browser. Continue to ${name} to sign out there.`,
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly signIn: typeof signIn
  }
}
