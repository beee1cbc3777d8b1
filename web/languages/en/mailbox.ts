/** The pages that say that a mail is on its way. */
export const mailbox = {
  title: 'Look into your mailbox',
  codeProblem: 'This code is not right, or is no longer valid. Look for the newest mail.',
  noMail: 'No mail?',
  tooOften: 'You have asked for too many mails.',
}
