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

/** The page of the own address. */
export const ownEmail = {
  emailTitle: 'E-mail address',
  emailSummary: 'Verify or change your address.',
  emailIs: 'Your verified address is',
  emailNone: 'You have no verified address. Without one you cannot get a new password by e-mail.',
  undeliverable:
    'E-mail to this address comes back. Correct it, or verify it once more when the mailbox works again.',
  pendingTitle: 'An address waits for its proof',
  pending: 'We have sent an e-mail to',
  pendingUntil: 'Its link and its code are valid until',
  confirmCode: 'Confirm',
  giveUp: 'Give up this address',
  verifyTitle: 'Verify an address',
  changeTitle: 'Change the address',
  sendMail: 'Send the e-mail',
  changeExplanation:
    'It takes the place of the current one once you confirm it there. The current one is told, and can take the change back for seven days.',
  verifyExplanation: 'We send an e-mail to it, with a link and a code.',
  mailOff: 'This service sends no e-mail, so that no address can be verified.',
  noEmail: 'no verified address yet',
  twoAddresses:
    'The contact address is what others see; only the verified one, which you have proved to be yours, receives e-mail from us and can sign in.',
  languageLabel: 'Language of pages and e-mail',
  languageOfBrowser: 'as your browser asks',
  save: 'Save',
  done: {
    language: 'Your language was changed.',
    email_sent: 'We have sent an e-mail. Open its link, or type its code here.',
    email_cancelled: 'The new address was given up.',
    email_verified: 'Your address is verified.',
    email_changed: 'Your address was changed. The old one was told.',
  },
  problems: {
    email_invalid: 'This is not an e-mail address.',
    email_taken: 'Another account has verified this address.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly ownEmail: typeof ownEmail
    readonly verify: typeof verify
  }
}
