import type { Texts } from './en.ts'

export const de: Texts = {
  locale: 'de-DE',

  greeting: 'Guten Tag,',
  quoted: (name) => `„${name}“`,
  units: {
    minutes: { one: 'Minute', other: 'Minuten' },
    hours: { one: 'Stunde', other: 'Stunden' },
    days: { one: 'Tag', other: 'Tage' },
  },
  device: (browser, system) => `${browser} unter ${system}`,
  unknownBrowser: 'Ein Programm',
  unknownDevice: 'Ein unbekanntes Gerät',

  linkAbove: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  code: 'Oder geben Sie diesen Code auf der Seite ein, auf der Sie begonnen haben:',
  linkUntil: (end) => `Der Link gilt einmal, bis ${end}.`,
  linkLife: (duration, end) => `Der Link gilt einmal und ${duration} lang: bis ${end}.`,
  linkAndCodeLife: (duration, end) =>
    `Link und Code gelten einmal und ${duration} lang: bis ${end}.`,
  asked: 'Die Anfrage kam von hier:',
  happened: 'Es geschah hier:',
  labels: {
    device: 'Gerät',
    address: 'IP-Adresse',
    time: 'Zeit',
    newAddress: 'Neue Adresse',
    provider: 'Anbieter',
    change: 'Änderung',
  },
  by: {
    administrator: 'Das hat jemand aus der Administration getan.',
    operator: 'Das hat jemand aus der Administration auf dem Server getan.',
    service: '',
    owner: '',
  },
  fine: 'Waren Sie das, ist alles gut.',
  askAdministrator: 'Falls Sie das nicht erwartet haben, fragen Sie bitte dort nach.',
  notYou:
    'Falls Sie das nicht waren, setzen Sie sofort ein neues Passwort: Das beendet alle Sitzungen Ihres Kontos.',
  resetAction: 'Neues Passwort setzen',
  accountAt: (url) => `Was in den letzten 30 Tagen geschehen ist, zeigt Ihr Konto: ${url}`,
  footer: (name, url) => `Dies ist eine automatische Nachricht von ${name}, ${url}`,

  verification: {
    subject: (name) => `Bestätigen Sie Ihre E-Mail-Adresse für ${name}`,
    intro: (name) =>
      `Bitte bestätigen Sie, dass dies die E-Mail-Adresse Ihres Kontos bei ${name} ist.`,
    action: 'Adresse bestätigen',
    notYou: 'Falls Sie das nicht waren, tun Sie nichts: Ohne Sie wird die Adresse nicht bestätigt.',
  },
  sign_up: {
    subject: (name) => `Schließen Sie Ihre Registrierung bei ${name} ab`,
    intro: (name) =>
      `Nur ein Schritt fehlt noch zu Ihrem Konto bei ${name}. Öffnen Sie den Link, um Benutzernamen und Passwort zu wählen.`,
    action: 'Konto anlegen',
    notYou: 'Falls Sie das nicht waren, tun Sie nichts: Ohne Sie entsteht kein Konto.',
  },
  sign_up_exists: {
    subject: (name) => `Sie haben schon ein Konto bei ${name}`,
    intro: (name, account) =>
      `Jemand wollte diese E-Mail-Adresse für ein Konto bei ${name} verwenden. Sie haben schon eines: Es heißt ${account}. Nichts hat sich geändert.`,
    action: 'Anmelden',
    forgotten: 'Falls Sie Ihr Passwort vergessen haben, können Sie ein neues setzen:',
    notYou:
      'Falls Sie das nicht waren, tun Sie nichts: Über Ihr Konto hat dabei niemand etwas erfahren.',
  },
  sign_in: {
    subject: (name) => `Anmelden bei ${name}`,
    intro: (name, account) => `So kommen Sie mit Ihrem Konto ${account} zu ${name}.`,
    action: 'Anmelden',
    notYou:
      'Falls Sie das nicht waren, tun Sie nichts, und geben Sie niemandem den Code: Ohne ihn kommt niemand hinein.',
  },
  proof: {
    subject: (name) => `Bestätigen Sie eine Änderung Ihres Kontos bei ${name}`,
    intro: (name, account) =>
      `Geben Sie diesen Code auf der Seite ein, die danach fragt, um eine Änderung Ihres Kontos ${account} bei ${name} zu bestätigen:`,
    life: (duration, end) => `Er gilt einmal und ${duration} lang: bis ${end}.`,
    notYou:
      'Falls Sie das nicht waren, geben Sie niemandem den Code, und beenden Sie die anderen Sitzungen Ihres Kontos: Jemand benutzt es.',
  },
  reset: {
    subject: (name) => `Setzen Sie ein neues Passwort bei ${name}`,
    intro: (name, account) =>
      `Jemand, wahrscheinlich Sie, möchte ein neues Passwort für Ihr Konto ${account} bei ${name}.`,
    introByAdministrator: (name, account) =>
      `Die Administration bittet Sie, ein neues Passwort für Ihr Konto ${account} bei ${name} zu setzen.`,
    introVouched: (name) =>
      `Die Administration bittet Sie, ein neues Passwort für Ihr Konto bei ${name} zu setzen.`,
    action: 'Neues Passwort setzen',
    notYou: 'Falls Sie das nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist.',
  },
  invitation: {
    subject: (name) => `Sie sind zu ${name} eingeladen`,
    greeting: (person) => `Guten Tag ${person},`,
    intro: (name) =>
      `Sie sind zu ${name} eingeladen. Öffnen Sie den Link, um Benutzernamen und Passwort zu wählen.`,
    introBy: (name, inviter) =>
      `${inviter} lädt Sie zu ${name} ein. Öffnen Sie den Link, um Benutzernamen und Passwort zu wählen.`,
    action: 'Einladung annehmen',
    notYou: 'Falls Sie keine Einladung erwarten, tun Sie nichts: Ohne Sie entsteht kein Konto.',
  },
  email_change: {
    subject: (name) => `Bestätigen Sie Ihre neue E-Mail-Adresse für ${name}`,
    intro: (name) =>
      `Bitte bestätigen Sie, dass Ihr Konto bei ${name} ab jetzt diese E-Mail-Adresse verwenden soll.`,
    action: 'Diese Adresse verwenden',
    notYou: 'Falls Sie das nicht waren, tun Sie nichts: Das Konto behält seine Adresse.',
  },

  new_sign_in: {
    subject: (name) => `Neue Anmeldung in Ihrem Konto bei ${name}`,
    intro: (name, account) =>
      `In Ihrem Konto ${account} bei ${name} gab es eine Anmeldung auf einem Gerät, das noch nicht bekannt war.`,
  },
  password_changed: {
    subject: (name) => `Ihr Passwort bei ${name} wurde geändert`,
    intro: (name, account) => `Das Passwort Ihres Kontos ${account} bei ${name} wurde geändert.`,
    linked: (providers) =>
      `Eine Anmeldung bei diesen Anbietern öffnet das Konto weiterhin: ${providers}. Lösen Sie in Ihrem Konto, was nicht Ihres ist.`,
  },
  email_changed: {
    subject: (name) => `Die E-Mail-Adresse Ihres Kontos bei ${name} wurde geändert`,
    intro: (name, account) =>
      `Ihr Konto ${account} bei ${name} verwendet jetzt eine andere E-Mail-Adresse. Dies ist die letzte Nachricht an die alte.`,
    introRemoved: (name, account) =>
      `Diese E-Mail-Adresse gehört nicht mehr zu Ihrem Konto ${account} bei ${name}. Dies ist die letzte Nachricht an sie.`,
    action: 'Änderung zurücknehmen',
    notYou:
      'Falls Sie das nicht waren, nehmen Sie die Änderung zurück: Ihr Konto erhält diese Adresse wieder, alle Sitzungen enden, und was seitdem hinzukam, wird entfernt. Danach setzen Sie ein neues Passwort.',
  },
  factor_added: {
    subject: (name) => `Ihr Konto bei ${name} hat einen neuen zweiten Faktor`,
    intro: (name, account) =>
      `Zu Ihrem Konto ${account} bei ${name} kam ein zweiter Faktor hinzu: eine Authenticator-App oder ein Passkey. Bewahren Sie die Wiederherstellungscodes sicher auf.`,
  },
  factor_removed: {
    subject: (name) => `Ein zweiter Faktor Ihres Kontos bei ${name} wurde entfernt`,
    intro: (name, account) =>
      `Ein zweiter Faktor Ihres Kontos ${account} bei ${name} wurde entfernt. Ohne einen genügt das Passwort zur Anmeldung.`,
  },
  passkey_refused: {
    subject: (name) => `Ein Passkey Ihres Kontos bei ${name} wurde abgelehnt`,
    intro: (name, account) =>
      `Ein Passkey Ihres Kontos ${account} bei ${name} wurde abgelehnt, weil sein Zähler nicht gestiegen ist: Vielleicht gibt es eine Kopie. Wenn das noch einmal geschieht, entfernen Sie den Passkey, und fügen Sie einen neuen hinzu.`,
  },
  recovery_codes_renewed: {
    subject: (name) => `Ihre Wiederherstellungscodes bei ${name} wurden ersetzt`,
    intro: (name, account) =>
      `Ihr Konto ${account} bei ${name} hat neue Wiederherstellungscodes. Die alten gelten nicht mehr.`,
  },
  recovery_code_used: {
    subject: (name) => `Ein Wiederherstellungscode wurde bei ${name} benutzt`,
    intro: (name, account) =>
      `Als zweiter Faktor Ihres Kontos ${account} bei ${name} wurde ein Wiederherstellungscode benutzt.`,
    left: {
      none: 'Es war der letzte. Bitte erzeugen Sie in Ihrem Konto neue.',
      one: (count) => `Es bleibt ${count} Wiederherstellungscode.`,
      other: (count) => `Es bleiben ${count} Wiederherstellungscodes.`,
    },
  },
  identity_linked: {
    subject: (name) => `Ihr Konto bei ${name} hat eine weitere Anmeldung`,
    intro: (name, account) =>
      `Eine Anmeldung beim unten genannten Anbieter öffnet ab jetzt auch Ihr Konto ${account} bei ${name}.`,
  },
  identity_unlinked: {
    subject: (name) => `Eine Anmeldung wurde aus Ihrem Konto bei ${name} entfernt`,
    intro: (name, account) =>
      `Eine Anmeldung bei einem Anbieter öffnet Ihr Konto ${account} bei ${name} nicht mehr.`,
  },
  locked: {
    subject: (name) => `Ihr Konto bei ${name} ist für eine Weile gesperrt`,
    intro: (name, account) =>
      `Zu viele Anmeldungen in Ihrem Konto ${account} bei ${name} sind nacheinander fehlgeschlagen. Damit niemand weiter rät, nimmt es eine Weile keine Anmeldung an. Wo Sie angemeldet sind, bleiben Sie es.`,
    introAtReset: (name, account) =>
      `Jemand hat einen Link geöffnet oder einen Code eingegeben, der an Sie gesendet wurde, um das Passwort Ihres Kontos ${account} bei ${name} zurückzusetzen, und dann falsche Codes des zweiten Faktors eingegeben. Damit niemand weiter rät, nimmt das Konto eine Weile keine Anmeldung an. Wo Sie angemeldet sind, bleiben Sie es.`,
    until: (end) => `Die Sperre endet automatisch: ${end}.`,
    last: 'Der letzte Versuch kam von hier:',
    notYou:
      'Falls Sie das nicht waren: Niemand ist hineingekommen, und Sie müssen nichts tun. Falls Sie Ihr Passwort vergessen haben, setzen Sie ein neues:',
    notYouAtReset:
      'Falls Sie das nicht waren: Niemand ist hineingekommen, aber jemand anderes liest Ihre E-Mails. Ändern Sie das Passwort Ihres Postfachs, und informieren Sie Ihre Administration.',
  },
  deletion_requested: {
    subject: (name) => `Ihr Konto bei ${name} wird gelöscht`,
    intro: (name, account) =>
      `Ihr Konto ${account} bei ${name} soll gelöscht werden. Niemand kann sich mehr damit anmelden, und alle Sitzungen sind beendet.`,
    erased: (time) => `Das Konto und Ihre persönlichen Daten werden endgültig gelöscht: ${time}.`,
    notYou:
      'Falls Sie das nicht waren, oder falls Sie das Konto behalten möchten, nehmen Sie die Löschung zurück und setzen Sie ein neues Passwort:',
    action: 'Konto behalten',
    former: {
      notYou:
        'Das Konto verwendet jetzt eine andere E-Mail-Adresse. Falls Sie das nicht waren, nehmen Sie beides zurück: Das Konto erhält diese Adresse wieder und wird nicht gelöscht.',
      action: 'Änderungen zurücknehmen',
    },
  },
  deletion_cancelled: {
    subject: (name) => `Ihr Konto bei ${name} wird nicht gelöscht`,
    intro: (name, account) =>
      `Die Löschung Ihres Kontos ${account} bei ${name} wurde zurückgenommen.`,
  },
  app_password_added: {
    subject: (name) => `Ihr Konto bei ${name} hat ein neues App-Passwort`,
    intro: (name, account) =>
      `Für Ihr Konto ${account} bei ${name} wurde ein App-Passwort erstellt: Ein Programm kann damit für Sie handeln.`,
  },
  device_remembered: {
    subject: (name) => `${name} hat sich ein Gerät gemerkt`,
    intro: (name, account) =>
      `Ihr Konto ${account} bei ${name} hat sich das Gerät unten gemerkt: Eine Zeit lang genügt dort zur Anmeldung das Passwort.`,
  },
  key_expiring: {
    subject: (name) => `Ein Schlüssel, den Sie bei ${name} erstellt haben, endet bald`,
    intro: (name, account) =>
      `Ein Schlüssel für ein Programm, den Ihr Konto ${account} bei ${name} erstellt hat, endet bald.`,
    ends: (key, time) =>
      `Der Schlüssel ${key} endet: ${time}. Erstellen Sie rechtzeitig seinen Nachfolger, und geben Sie ihn dem Programm.`,
  },
  account_event: {
    subject: (name) => `Eine Änderung an Ihrem Konto bei ${name}`,
    intro: (name, account) => `An Ihrem Konto ${account} bei ${name} gab es eine Änderung.`,
  },
  more_changes: {
    subject: (name) => `Weitere Änderungen an Ihrem Konto bei ${name}`,
    intro: (name, account) =>
      `In Ihrem Konto ${account} bei ${name} ist innerhalb eines Tages mehrmals dasselbe geschehen. Vorerst berichtet keine weitere E-Mail davon. Zuletzt:`,
  },
  account_deleted: {
    subject: (name) => `Ihr Konto bei ${name} wurde gelöscht`,
    intro: (name, account) =>
      `Ihr Konto ${account} bei ${name} und Ihre persönlichen Daten wurden gelöscht. Dies ist die letzte Nachricht an Sie.`,
    notYou: 'Falls Sie das nicht waren, fragen Sie bitte die Administration.',
  },

  test: {
    subject: (name) => `Testnachricht von ${name}`,
    intro: (name) => `Dies ist ein Test. Nachrichten von ${name} kommen an.`,
  },
}
