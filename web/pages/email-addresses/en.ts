export const verify = {
  title: {
    verification: 'Confirm your e-mail address',
    email_change: 'Confirm your new e-mail address',
    email_undo: 'Take the change of your address back',
  },
  text: {
    verification:
      'With this you confirm that you read the e-mail of this address, for your account:',
    email_change: 'From then on this address takes the place of the one before, for your account:',
    email_undo:
      'This address replaces the new address again. The account is signed out everywhere, and what was added to it since the change was requested is removed: password, second factor, linked identities. Then you choose a new password.',
  },
  address: 'E-mail address',
  account: 'Account',
  confirm: { verification: 'Confirm', email_change: 'Confirm', email_undo: 'Take it back' },
  notYou: {
    verification: 'If this account is not yours, close this page: nothing has been changed.',
    email_change: 'If this account is not yours, close this page: nothing has been changed.',
    email_undo: 'If you have changed the address yourself, close this page.',
  },
  done: {
    verified: 'Your address is confirmed',
    changed: 'Your address is changed',
    restored: 'Your address is back',
  },
  doneText: {
    verified: 'From now on e-mail of your account goes to',
    changed: 'From now on e-mail of your account goes to',
    restored:
      'The account is signed out everywhere, and what was added to it since the change was requested is removed. If you have not chosen a new password yet, do so now. E-mail of your account goes to',
  },
  goToAccount: 'Go to your account',
  newPassword: 'Choose a new password',

  taken: 'This address belongs to another account',
  takenText:
    'Another account has confirmed it before, and an address can belong to one account alone:',

  noLink: 'Confirm an address',
  noLinkText:
    'Open the link of the e-mail that we have sent you, or type its code on the page of your account.',
  invalidLink: 'This link is no longer valid',
  invalidLinkText:
    'It was used before, has expired, or was not copied completely. Ask for a new one on the page of your account.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly verify: typeof verify
  }
}
