import type { emailSignIn as english } from './en.ts'

export const emailSignIn: typeof english = {
  byMail: {
    title: 'Per E-Mail anmelden',
    lead: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wenn es eines gibt, senden wir einen Link und einen Code dorthin.',
    submit: 'E-Mail senden',
    withPassword: 'Mit Passwort anmelden',
    problems: {
      form: 'Das ist keine E-Mail-Adresse. Sie sieht so aus: name@example.org.',
      throttled: 'Sie haben zu viele E-Mails angefordert.',
    },
  },
  mailed: {
    lead: (address) =>
      `Wenn ein Konto die Adresse ${address} hat, ist eine E-Mail dorthin unterwegs. Öffnen Sie den Link darin, oder geben Sie hier den Code ein.`,
    lifetime: (time) => `Beides gilt ${time} lang.`,
    problems: {
      wrong:
        'Dieser Code ist falsch oder gilt nicht mehr. Sehen Sie in die neueste E-Mail, oder fordern Sie eine weitere an.',
      missing: 'Geben Sie den Code aus der E-Mail ein.',
      throttled: 'Das waren zu viele Versuche. Warten Sie etwas.',
    },
  },
  link: {
    title: (username) => `Als ${username} anmelden?`,
    lead: (username) => `Sie haben diesen Link angefordert. Er meldet Sie als ${username} an.`,
    elsewhere: 'Dieser Link wurde in einem anderen Browser angefordert.',
    askedAt: 'Wann',
    askedFrom: 'Von der Adresse',
    askedBy: 'Mit',
    unknown: 'unbekannt',
    device: (browser, system) => `${browser} unter ${system}`,
    onlyYou: (username) =>
      `Gehen Sie nur weiter, wenn Sie das waren und ${username} Ihr Konto ist. Angemeldet werden Sie hier, in diesem Browser.`,
    submit: (username) => `Als ${username} anmelden`,
    notMe: 'Das war ich nicht',
  },
  deadLink: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Er ist abgelaufen, wurde schon benutzt oder ist nicht vollständig. Fordern Sie eine neue E-Mail an.',
  },
}
