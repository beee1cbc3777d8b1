/** The pages of the own data. */
export const ownData = {
  dataTitle: 'Your data',
  dataSummary: 'A copy of everything that names your account.',
  dataExplanation:
    'The file has your profile, your sessions, what you wrote, and what you did here, in a form that programs can read (JSON). It has no passwords and no secrets. Keep it safe.',
  download: 'Download your data',
  deletionTitle: 'Delete your account',
  deletionSummary: 'Your account and everything that names you are deleted for good.',
  deletionWarning: 'This cannot be undone.',
  deletionWaits: (days: number) =>
    `Your account is erased ${days === 1 ? 'a day' : `${days} days`} after this. Until then you can keep it with a link that we send to your verified address.`,
  deletionExplanation: (days: number): string =>
    days === 0
      ? 'Your account, your profile and all sessions go at once. What you have written stays, without your name.'
      : 'All your sessions end at once, and you cannot sign in any more. What you have written stays, without your name.',
  deletionHint: 'Type your username, so that this does not happen by mistake.',
  deleteAccount: 'Delete the account for good',
  deleteLater: 'Delete the account',
  deletedTitle: 'Account deleted',
  deletionRequestedTitle: 'Your account will be deleted',
  deletionRequested: 'You are signed out, and cannot sign in any more. Your account is erased on',
  deletionLink:
    'Until then you can keep it: open the link in the e-mail that we have sent to your verified address.',
  deleted: 'Your account is deleted, and you are signed out.',
  problems: {
    username_wrong: 'This is not your username.',
    last_administrator: 'You are the last administrator. Appoint another one first.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly ownData: typeof ownData
  }
}
