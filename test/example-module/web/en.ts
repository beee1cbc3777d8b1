export const badge = {
  title: 'Badge',
  signIn: 'Sign in with a badge',
  lead: 'Open the code of your badge with the camera, or type what is on it.',
  words: 'Words of the badge',
  note: 'Words on a note',
  read: 'Your badge was read.',
  withPassword: 'Sign in with a password',
  problems: {
    wrong: 'Username and words do not belong together. Look at the newest badge.',
    throttled: 'There were too many attempts. Wait a while.',
  },
  summary: 'Sign in by a card, without a password.',
  explanation: 'Who has your badge can sign in. A second factor is asked for as always.',
  none: 'none',
  isThere: 'one',
  since: 'You have a badge since:',
  change: 'You want to make a badge.',
  qr: 'QR code of your badge',
  make: 'Make a new badge',
  makeHint: 'The badge before signs in no more.',
  remove: 'Remove the badge',
  removed: 'The badge was removed.',
  newTitle: 'Your badge',
  shownOnce: 'It is shown this once. Print this page, or copy the words.',
  username: 'Username',
  link: 'Address',
  keptIt: 'I have kept it',
}

declare module '../../../web/languages/languages.ts' {
  interface Texts {
    readonly badge: typeof badge
  }
}
