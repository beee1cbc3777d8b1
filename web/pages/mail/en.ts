/** The pages that say that an e-mail is on its way. */
export const mailbox = {
  title: 'Check your mailbox',
  codeProblem: 'This code is not right, or is no longer valid. Look for the newest e-mail.',
  noMail: 'No e-mail?',
  tooOften: 'You have asked for too many e-mails.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly mailbox: typeof mailbox
  }
}
