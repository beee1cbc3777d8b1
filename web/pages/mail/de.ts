import type { mailbox as english, notices as englishNotices } from './en.ts'

export const mailbox: typeof english = {
  title: 'Sehen Sie in Ihr Postfach',
  codeProblem: 'Dieser Code ist falsch oder gilt nicht mehr. Suchen Sie nach der neuesten E-Mail.',
  noMail: 'Keine E-Mail?',
  tooOften: 'Sie haben zu viele E-Mails angefordert.',
}

export const notices: typeof englishNotices = {
  noticesTitle: 'Mitteilungen',
  noticesSummary: 'Was in den letzten 30 Tagen mit Ihrem Konto geschah.',
  noticesExplanation:
    'Wenn Sie etwas davon nicht kennen, ändern Sie Ihr Passwort, und beenden Sie die anderen Sitzungen.',
  noNotices: 'In den letzten 30 Tagen ist nichts geschehen.',
  what: 'Was',
  when: 'Wann',
  byWhom: 'Durch',
  notices: {
    new_sign_in: 'Anmeldung von einem neuen Gerät',
    password_changed: 'Passwort geändert',
    email_changed: 'Bestätigte Adresse geändert',
    factor_added: 'Zweiter Faktor eingeschaltet',
    factor_removed: 'Zweiter Faktor entfernt',
    passkey_refused: 'Passkey abgelehnt',
    recovery_codes_renewed: 'Neue Wiederherstellungscodes',
    recovery_code_used: 'Wiederherstellungscode benutzt',
    identity_linked: 'Anbieter verknüpft',
    identity_unlinked: 'Verknüpfung mit einem Anbieter gelöst',
    locked: 'Eine Zeit lang gesperrt, nach falschen Passwörtern',
    deletion_requested: 'Löschung des Kontos beantragt',
    deletion_cancelled: 'Löschung des Kontos zurückgenommen',
    app_password_added: 'App-Passwort erstellt',
    device_remembered: 'Gerät gemerkt',
    key_expiring: 'Ein Schlüssel, den Sie erstellt haben, endet bald',
    account_event: 'Änderung am Konto',
    locked_at_reset: 'Eine Zeit lang gesperrt, nach falschen Codes beim Zurücksetzen des Passworts',
  },
  actors: {
    owner: 'Sie',
    administrator: 'jemand aus der Administration',
    operator: 'den Betrieb',
    service: 'diesen Dienst',
  },
}
