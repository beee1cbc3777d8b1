import { plural } from '../../languages/words.ts'
import type { account as english } from './en.ts'

export const account: typeof english = {
  title: 'Ihr Konto',
  overview: 'Übersicht',
  toOverview: 'Zurück zu Ihrem Konto',

  done: {
    password: 'Ihr Passwort wurde geändert. Alle anderen Sitzungen wurden beendet.',
    factor_added: 'Die App wurde eingerichtet. Alle anderen Sitzungen wurden beendet.',
    factor_removed: 'Der zweite Faktor wurde entfernt. Alle anderen Sitzungen wurden beendet.',
    session_ended: 'Die Sitzung wurde beendet.',
    sessions_ended: 'Alle anderen Sitzungen wurden beendet.',
    unlinked:
      'Die Verknüpfung wurde gelöst. Über diesen Anbieter meldet sich hier niemand mehr an.',
    confirmed:
      'Sie haben bestätigt, dass Sie es sind. Fünf Minuten lang können Sie diese Änderung vornehmen.',
  },
  problems: {
    wrong_password: 'Das ist nicht Ihr jetziges Passwort.',
    new_password: 'Wählen Sie ein anderes neues Passwort.',
    passwords_differ: 'Die beiden neuen Passwörter sind nicht gleich.',
    captcha:
      'Ihr Browser muss zuerst eine kleine Rechenaufgabe lösen. Geben Sie Ihre Passwörter noch einmal ein.',
    proof_missing: 'Eine Angabe fehlt. Füllen Sie alle Felder aus.',
    proof_refused: 'Das wurde nicht angenommen. Versuchen Sie es später noch einmal.',
    factor_required: 'Ihre Rolle braucht einen zweiten Faktor, und dies ist der letzte.',
    code_missing: 'Geben Sie einen Code ein.',
    code_wrong: 'Der Code ist falsch oder wurde schon benutzt.',
    too_many: 'Es waren zu viele Versuche.',
    too_many_mails: 'Es wurden zu viele E-Mails angefordert.',
    mailed_code_wrong: 'Der Code ist falsch oder abgelaufen.',
  },

  groups: {
    you: 'Sie',
    sign_in: 'So melden Sie sich an',
    sessions: 'Wo Sie angemeldet sind',
    applications: 'Anwendungen',
    activity: 'Aktivität',
    data: 'Ihre Daten',
    deletion: 'Konto schließen',
  },
  toDeletion: 'Löschen',
  change: 'Ändern',
  view: 'Ansehen',
  isSet: 'gesetzt',
  isNotSet: 'keines',
  codesLeft: plural('de', { one: 'einer ist übrig', other: '# sind übrig' }),
  linkedCount: plural('de', { one: 'eines ist verknüpft', other: '# sind verknüpft' }),
  name: 'Name',
  contact: 'Kontaktadresse',
  since: 'Konto seit',

  passwordTitle: 'Passwort',
  passwordSummary: 'Ihr Passwort ändern.',
  currentPassword: 'Jetziges Passwort',
  changePassword: 'Passwort ändern',
  endsOthers: 'Alle anderen Sitzungen werden beendet.',

  appTitle: 'Authenticator-App',
  factorTitle: 'Zweiter Faktor',
  factorSummary: 'Ein Code Ihres Telefons, neben dem Passwort.',
  factorOn:
    'Der zweite Faktor ist an: Beim Anmelden wird ein Code Ihrer Authenticator-App verlangt.',
  factorOff: 'Der zweite Faktor ist aus: Ihr Passwort allein genügt zum Anmelden.',
  appOff: 'Es ist keine Authenticator-App eingerichtet. Ihr Passkey ist der zweite Faktor.',
  on: 'an',
  off: 'aus',
  setUp: 'Zweiten Faktor einschalten',
  setUpExplanation:
    'Sie brauchen eine Authenticator-App auf Ihrem Telefon. Sie zeigt alle 30 Sekunden einen neuen Code.',
  replace: 'Zu einer anderen App wechseln',
  replaceExplanation: 'Die jetzige App gilt, bis die neue bestätigt ist.',
  replaceAction: 'Andere App einrichten',
  remove: 'Zweiten Faktor entfernen',
  removeExplanation: 'Danach genügt wieder Ihr Passwort. Alle anderen Sitzungen werden beendet.',
  removeAction: 'Entfernen',
  renewLink: 'Neue Wiederherstellungscodes erzeugen',

  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  confirmChange: {
    password: 'Sie möchten Ihr Passwort ändern.',
    factor: 'Sie möchten einen zweiten Faktor hinzufügen.',
    factor_removal: 'Sie möchten den zweiten Faktor entfernen.',
    recovery_codes: 'Sie möchten neue Wiederherstellungscodes.',
    email: 'Sie möchten Ihre E-Mail-Adresse ändern.',
    identity: 'Sie möchten einen Anbieter verknüpfen.',
    identity_removal: 'Sie möchten die Verknüpfung mit einem Anbieter lösen.',
    deletion: 'Sie möchten Ihr Konto endgültig löschen.',
  },
  confirmExplanation:
    'Mit dieser Änderung könnte jemand Ihr Konto übernehmen oder löschen. Bestätigen Sie deshalb noch einmal, dass Sie es sind, auch wenn Sie sich gerade erst angemeldet haben.',
  confirmNext: 'Auf der nächsten Seite bestätigen Sie, dass Sie es sind.',
  confirmed: 'Sie haben bestätigt, dass Sie es sind.',
  confirmedInPart: 'Der erste Schritt ist bestätigt. Ein Schritt fehlt noch.',
  confirmAtProvider:
    'Melden Sie sich noch einmal bei einem verknüpften Anbieter an. Danach kommen Sie hierher zurück.',
  signInAt: (provider) => `Bei ${provider} anmelden`,
  confirmByMail: (address) => `Wir senden einen Code an ${address}.`,
  codeMailedTo: (address) => `Wir haben einen Code an ${address} gesendet. Geben Sie ihn hier ein.`,
  sendCode: 'Code senden',
  nothingToConfirmBy:
    'Ihr Konto hat weder ein Passwort noch einen verknüpften Anbieter noch eine bestätigte Adresse, die E-Mails erhalten kann. Deshalb können Sie diese Änderung nicht bestätigen. Fragen Sie Ihre Administration.',

  mailedCode: 'Code der E-Mail',
  newEmail: 'E-Mail-Adresse',

  enrolmentTitle: 'Authenticator-App einrichten',
  enrolmentSteps: [
    'Öffnen Sie die Authenticator-App auf Ihrem Telefon, und fügen Sie ein Konto hinzu.',
    'Scannen Sie dieses Bild, oder tippen Sie den Schlüssel ab.',
    'Geben Sie die sechs Ziffern ein, die die App zeigt.',
  ],
  typedSecret: 'Schlüssel zum Abtippen',
  confirm: 'Bestätigen',
  afterConfirm:
    'Danach erhalten Sie Wiederherstellungscodes. Alle anderen Sitzungen werden beendet.',

  codesTitle: 'Wieder\u00adherstellungs\u00adcodes',
  codesSummary: 'Neue erzeugen, wenn Sie die alten verloren haben.',
  codesExplanation:
    'Ein Wiederherstellungscode gilt einmal, anstelle eines Codes Ihrer App. Neue machen die alten ungültig.',
  codesNeedFactor: 'Wiederherstellungscodes gehören zum zweiten Faktor, und der ist aus.',
  renewCodes: 'Neue Wiederherstellungscodes erzeugen',
  newCodesTitle: 'Ihre Wieder\u00adherstellungs\u00adcodes',
  factorIsOn: 'Der zweite Faktor ist an.',
  shownOnce:
    'Diese Codes werden nur jetzt gezeigt und sind weg, wenn Sie die Seite neu laden oder verlassen. Bewahren Sie sie dort auf, wo Sie sie ohne Ihr Telefon finden.',
  codesList: 'Wiederherstellungscodes',
  keptThem: 'Ich habe sie aufbewahrt',

  sessionsTitle: 'Sitzungen',
  sessionsSummary: 'Wo Sie angemeldet sind.',
  sessionsExplanation:
    'Wenn Sie eine davon nicht kennen, beenden Sie sie, und ändern Sie danach Ihr Passwort.',
  device: 'Gerät',
  address: 'IP-Adresse',
  signedInAt: 'Angemeldet',
  lastSeen: 'Zuletzt benutzt',
  thisSession: 'Diese Sitzung',
  deviceOf: (browser, system) => `${browser} unter ${system}`,
  kept: 'bleibt angemeldet',
  unknownDevice: 'Unbekanntes Gerät',
  endSession: 'Beenden',
  endSessionOf: (device, address) => `Sitzung beenden: ${device}, ${address}`,
  endOthers: 'Alle anderen Sitzungen beenden',
  endOthersExplanation:
    'Auch Anwendungen, die mit Tokens angemeldet sind, müssen sich neu anmelden.',
  action: 'Aktion',

  providersTitle: 'Verknüpfte Anbieter',
  providersSummary: 'Andere Konten, mit denen Sie sich hier anmelden.',
  providersExplanation:
    'Wer sich bei einem verknüpften Anbieter anmelden kann, kann sich auch hier anmelden.',
  noneLinked: 'Kein Anbieter ist verknüpft.',
  provider: 'Anbieter',
  linkedSince: 'Verknüpft seit',
  unlink: 'Lösen',
  unlinkOf: (provider) => `Verknüpfung lösen: ${provider}`,
  link: (provider) => `${provider} verknüpfen`,
  linkMore: 'Anbieter verknüpfen',
  leavingTitle: 'Auf dem Weg zum Anbieter',
  leaving: (provider) => `Es geht weiter zu ${provider}, und danach hierher zurück.`,
  goOnTo: (provider) => `Weiter zu ${provider}`,
}
