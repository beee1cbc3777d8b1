export const signIn = {
  title: 'Sign in',
  usernameOrEmail: 'Username or e-mail address',
  submit: 'Sign in',
  forgotten: 'Forgot your password?',
  otherWays: 'Other ways',
  withMail: 'Sign in by e-mail',
  withProvider: (name: string) => `Sign in with ${name}`,
  noAccount: 'No account yet?',
  signUp: 'Create one',
  beginAnew: 'Begin again',
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
    lead: 'Your account needs a second factor: besides the password, a code that an authenticator app on your phone shows. Any app for one-time codes will do.',
    scan: '1. Scan this code with the app',
    orType: 'Or type it in:',
    thenCode: '2. Enter the code that the app shows',
  },
  recoveryCodes: {
    title: 'Your recovery codes',
    lead: 'Without your phone, each of these codes lets you in once. Keep them in a safe place: they are not shown again.',
    submit: 'I have kept them, go on',
  },
  byMail: {
    title: 'Sign in by e-mail',
    lead: 'Enter the e-mail address of your account. If there is one, we send it a link and a code.',
    submit: 'Send me an e-mail',
    withPassword: 'Sign in with a password',
    problems: {
      form: 'This is not an e-mail address. It looks like name@example.org.',
      throttled: 'You have asked for too many e-mails.',
    },
  },
  mailed: {
    lead: (address: string) =>
      `If an account has the address ${address}, an e-mail is on its way there. Open its link, or type its code here.`,
    lifetime: (time: string) => `Both are valid for ${time}.`,
    problems: {
      wrong:
        'This code is not right, or it is no longer valid. Look at the newest e-mail, or ask for another one.',
      missing: 'Enter the code of the e-mail.',
      throttled: 'There were too many attempts. Wait a while.',
    },
  },
  link: {
    title: (username: string) => `Sign in as ${username}?`,
    lead: (username: string) => `You have asked for this link. It signs you in as ${username}.`,
    elsewhere: 'This link was asked for in another browser.',
    askedAt: 'When',
    askedFrom: 'From the address',
    askedBy: 'With',
    unknown: 'unknown',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    onlyYou: (username: string) =>
      `Go on only if that was you and ${username} is your account. You are signed in here, in this browser.`,
    submit: (username: string) => `Sign in as ${username}`,
    notMe: 'It was not me',
  },
  deadLink: {
    title: 'This link is no longer valid',
    text: 'It has expired, was used before, or is not whole. Ask for a new e-mail.',
  },
  signOut: {
    title: 'Sign out?',
    lead: (username: string) => `You are signed in as ${username}.`,
    doneTitle: 'Signed out',
    done: 'You are signed out in this browser.',
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
