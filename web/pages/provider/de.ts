import type { Texts } from '../../languages/languages.ts'
import { plural } from '../../languages/words.ts'

/** Die Seiten der Anwendungen, die hier anmelden. */
export const provider: Texts['provider'] = {
  consentTitle: (application) => `Bei ${application} anmelden`,
  wants: (application) => `${application} bittet um:`,
  returnsTo: 'Weiter geht es zu',
  signedInAs: 'Sie sind angemeldet als',
  runBy: (operator) => `Betrieben von ${operator}.`,
  aboutIt: 'Über die Anwendung',
  scopes: {
    openid: 'zu wissen, dass Sie sich hier angemeldet haben',
    profile: 'Ihren Namen und Benutzernamen',
    email: 'Ihre E-Mail-Adresse',
    groups: 'Ihre Rollen',
    roles: 'Ihre Rollen',
    offline_access: 'den Zugriff auch, nachdem Sie sich hier abgemeldet haben',
  },
  otherScope: (scope) => `die Berechtigung ${scope}`,
  lacksEmail: (application) =>
    `Ihr Konto hat keine bestätigte E-Mail-Adresse. ${application} kann Sie ohne sie ablehnen.`,
  toEmail: 'Adresse bestätigen',
  allow: 'Erlauben',
  deny: 'Ablehnen',
  accountTitle: (application) => `Welches Konto für ${application}?`,
  goOnAs: (username) => `Weiter als ${username}`,
  otherAccount: 'Ein anderes Konto benutzen',
  otherAccountEnds:
    'Für ein anderes Konto werden Sie hier und bei allen Anwendungen abgemeldet, die Sie mit dieser Anmeldung nutzen.',
  refusedTitle: (application) => `${application} steht Ihnen nicht offen`,
  refused: (application, username) =>
    `Ihr Konto ${username} darf ${application} nicht benutzen. Bitten Sie den Betreiber um Zugang.`,
  back: 'Zurück zur Anwendung',
  problemTitle: 'Die Anwendung hat etwas Falsches verlangt',
  problem:
    'Sie kamen von einer Anwendung, deren Anfrage dieser Dienst nicht beantworten kann. Gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal; geschieht es wieder, sagen Sie es dem Betreiber.',
  problemIs: 'Für den Betreiber:',
  signOutTitle: 'Abmelden?',
  signOut: (username) => `Sie sind angemeldet als ${username}.`,
  signOutOf: (application) => `${application} bittet um Ihre Abmeldung.`,
  signOutEnds:
    'Sie werden hier und bei allen Anwendungen abgemeldet, die Sie mit dieser Anmeldung nutzen.',
  signOutNow: 'Abmelden',
  stay: 'Angemeldet bleiben',
  deviceTitle: 'Ein Gerät verbinden',
  deviceLead: 'Geben Sie den Code ein, den das Gerät zeigt.',
  deviceCode: 'Code',
  deviceWrong: 'Dieser Code ist unbekannt, abgelaufen oder schon benutzt.',
  deviceGoOn: 'Weiter',
  deviceDecisionTitle: (application) => `Auf einem Gerät bei ${application} anmelden?`,
  deviceAsks: (application) =>
    `Ein Gerät möchte Ihr Konto für ${application} benutzen. Erlauben Sie es nur, wenn Sie das Gerät vor sich haben und es diesen Code zeigt:`,
  deviceAt: 'Es fragte von der Adresse',
  deviceDone: 'Das Gerät ist verbunden',
  deviceDoneLead: 'Gehen Sie zum Gerät zurück: Es macht automatisch weiter.',
  deviceRefused: 'Das Gerät ist abgelehnt',
  deviceRefusedLead: 'Es bekommt nichts. Sie können diese Seite schließen.',
  title: 'Anwendungen',
  count: plural('de', {
    none: 'keine hat Zugriff',
    one: 'eine hat Zugriff',
    other: '# haben Zugriff',
  }),
  summary: 'Was Sie mit diesem Konto anmeldet, und was es haben darf.',
  explanation:
    'Diese Anwendungen melden Sie mit diesem Konto an. Entziehen Sie einer den Zugriff, ist sie abgemeldet und fragt bei der nächsten Anmeldung wieder.',
  none: 'Es gibt keine.',
  name: 'Anwendung',
  has: 'Hat',
  since: 'Seit',
  noConsent: 'der Betreiber erlaubt es',
  isOffline: 'bleibt nach Ihrer Abmeldung angemeldet',
  action: 'Aktion',
  withdraw: 'Entziehen',
  withdrawOf: (application) => `${application} den Zugriff entziehen`,
  withdrawn: 'Der Zugriff ist entzogen.',
}
