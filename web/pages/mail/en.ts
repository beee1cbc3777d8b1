/** The pages that say that an e-mail is on its way. */
export const mailbox = {
  title: 'Check your mailbox',
  codeProblem: 'This code is not right, or is no longer valid. Look for the newest e-mail.',
  noMail: 'No e-mail?',
  tooOften: 'You have asked for too many e-mails.',
}

/** The page of what happened to the own account. */
export const notices = {
  noticesTitle: 'Notices',
  noticesSummary: 'What happened to your account in the last 30 days.',
  noticesExplanation:
    'If you do not know one of these, change your password, and end the other sessions.',
  noNotices: 'Nothing has happened in the last 30 days.',
  what: 'What',
  when: 'When',
  byWhom: 'By',
  notices: {
    new_sign_in: 'Sign-in from a new device',
    password_changed: 'Password changed',
    email_changed: 'Verified address changed',
    factor_added: 'Second factor turned on',
    factor_removed: 'Second factor removed',
    passkey_refused: 'Passkey refused',
    recovery_codes_renewed: 'New recovery codes',
    recovery_code_used: 'Recovery code used',
    identity_linked: 'Provider linked',
    identity_unlinked: 'Provider unlinked',
    locked: 'Locked for a while, after wrong passwords',
    deletion_requested: 'Deletion of the account requested',
    deletion_cancelled: 'Deletion of the account cancelled',
    app_password_added: 'App password made',
    device_remembered: 'Device remembered',
    key_expiring: 'A key that you made ends soon',
    account_event: 'Change of the account',
    locked_at_reset: 'Locked for a while, after wrong codes at a password reset',
  },
  actors: {
    owner: 'you',
    administrator: 'an administrator',
    operator: 'an operator',
    service: 'this service',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly notices: typeof notices
    readonly mailbox: typeof mailbox
  }
}
