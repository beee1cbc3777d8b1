export const reset = {
  title: 'Forgot your password?',
  lead: 'Enter your username or your e-mail address. If your account has a verified address, we send a link and a code there, to choose a new password.',
  field: 'Username or e-mail address',
  problems: {
    missing: 'Enter your username or your e-mail address.',
    form: 'This can be neither a username nor an e-mail address.',
  },
  sendMail: 'Send me an e-mail',
  remembered: 'You remember it?',
  signIn: 'Sign in',
  notices: {
    link: 'This link is no longer valid: it was used before, has expired, or was not copied completely. Ask for a new one.',
    ended: 'This took too long, or was begun in another browser. Please begin again.',
  },

  askedFor: 'You have asked for a new password for',
  ifAccount:
    'If there is an account, an e-mail is on its way to its verified address. Open the link in it, or type its code here.',
  countsUntil: 'Link and code are valid until',
  codeHere: 'or less, if an e-mail was sent before. The code works in this window only.',
  noMailHint:
    'Look into your spam folder. From this window we send one e-mail a minute at most, and to one address a few in an hour. Without a verified address only an administrator of this service can help.',
  sentAgain: 'If there is an account, the e-mail is on its way once more.',
  other: 'Use another name or address',

  factor: 'Second factor',
  factorText: (username: string) =>
    `The account ${username} is protected by a second factor. Enter the code that your authenticator app shows now, or one of your recovery codes.`,
  factorProblems: {
    wrong: 'This code is not right, or it was used before. Enter another one.',
    missing: 'Enter a code.',
    throttled: 'There were too many wrong codes.',
  },

  password: 'Choose a new password',
  account: 'Account',
  passwordText: 'With the new password you are signed out everywhere.',
  notYou: 'If you did not ask for this, close this page: nothing has been changed.',
  before: {
    restored:
      'Your former address is back. The account is signed out everywhere, and what was added to it since the change was requested is removed.',
  },
  save: 'Save the new password',

  done: 'Your password is changed',
  doneText: (username: string) =>
    `The account ${username} has a new password. It is signed out everywhere. Sign in with the new password now.`,

  /** For the link that cancels the deletion of an account. */
  deletion: {
    title: 'Keep your account',
    text: 'Your account is to be deleted. With a new password you keep it.',
    passwordOptional:
      'Your account has no password. You can also keep it without one, and sign in through your provider as before.',
    keep: 'Keep it without a password',
    done: 'Your account is not deleted',
    doneText: (username: string) => `The deletion of the account ${username} is cancelled.`,
  },

  unavailable: 'A password cannot be reset here',
  unavailableText:
    'This service cannot send e-mail. Ask an administrator of this service for a new password.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly reset: typeof reset
  }
}
