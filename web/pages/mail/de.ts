import type { mailbox as english } from './en.ts'

export const mailbox: typeof english = {
  title: 'Sehen Sie in Ihr Postfach',
  codeProblem: 'Dieser Code ist falsch oder gilt nicht mehr. Suchen Sie nach der neuesten E-Mail.',
  noMail: 'Keine E-Mail?',
  tooOften: 'Sie haben zu viele E-Mails angefordert.',
}
