import { reasons } from '../../../languages/de/console/reasons.ts'
import type { why as english } from './en.ts'

export const why: typeof english = {
  title: 'Warum wurde das abgelehnt?',
  question: 'Kennung der Anfrage, Benutzername, E-Mail-Adresse oder Token',
  questionHint:
    'Die Kennung steht im Header X-Request-Id der Antwort und auf jeder Seite, die etwas ablehnt.',
  route: 'Anfrage, die das Konto senden würde',
  routeHint: 'Zum Beispiel PUT /users/7. Nur mit einem Benutzernamen.',
  routeTitle: 'Nach einer Anfrage eines Kontos fragen',
  ask: 'Erklären',
  tokenStays: 'Ein Token kommt nicht in die Adresse dieser Seite.',
  emptyTitle: 'Wonach Sie fragen können',
  empty: [
    'Die Kennung einer Anfrage sagt, warum genau diese abgelehnt wurde. Das wird 24 Stunden aufbewahrt.',
    'Ein Benutzername oder eine bestätigte E-Mail-Adresse sagt, ob eine Anmeldung jetzt abgelehnt würde.',
    'Ein Token sagt, ob es jetzt angenommen würde, und wenn nicht, warum.',
  ],
  unknown: 'Darüber ist nichts bekannt',
  unknownSteps: [
    'Die Kennung einer Anfrage wird 24 Stunden aufbewahrt, und kürzer, wenn ihre Adresse sehr oft abgelehnt wurde.',
    'Große und kleine Buchstaben einer Kennung sind verschieden: Kopieren Sie sie ganz.',
    'Kein Konto hat diesen Benutzernamen, und keines hat diese E-Mail-Adresse bestätigt.',
  ],
  unknownLinks: { accounts: 'In den Konten suchen', audit: 'Im Protokoll suchen' },
  noAccount: 'Es gibt kein Konto mit diesem Namen',
  routeWrong: 'Schreiben Sie die Anfrage als Methode und Pfad, zum Beispiel PUT /users/7.',
  outcome: {
    passes: 'Nichts lehnt es jetzt ab',
    refused: 'Abgelehnt',
    wouldBe: 'Es würde jetzt abgelehnt',
  },
  of: { login: 'Eine Anmeldung dieses Kontos', refusal: 'Eine Anfrage' },
  aboutTitle: 'Worum es geht',
  rows: {
    about: 'Was',
    account: 'Konto',
    at: 'Wann',
    request: 'Anfrage',
    answer: 'Was der Client sah',
    address: 'Von der Adresse',
    scheme: 'Angemeldet mit',
    rule: 'Regel',
    id: 'Kennung der Anfrage',
    code: 'Code',
  },
  noAccountRow:
    'Keines: Die Anfrage nannte kein Konto, das es gibt, oder wurde abgelehnt, ehe danach gesucht wurde',
  reasons,
  factsTitle: 'Tatsachen',
  facts: {
    accepted: 'Angenommen wird',
    address: 'Adresse',
    asked_of: 'Verlangt bei',
    attempts: 'Erlaubt',
    ended_at: 'Beendet',
    exp_at: 'Abgelaufen',
    expired_seconds_ago: 'Abgelaufen vor',
    expected: 'Erwartet',
    fields: 'Felder',
    frees_at: 'Wieder frei',
    host: 'Host',
    iss: 'Aussteller',
    kid: 'Schlüssel',
    lacks: 'Was fehlt',
    last_seen_at: 'Zuletzt benutzt',
    login_at: 'Anmeldung',
    max: 'Erlaubt',
    max_age_seconds: 'Innerhalb von',
    provider: 'Anbieter',
    requests: 'Anfragen',
    roles: 'Rollen',
    rule: 'Regel',
    sent_scheme: 'Gesendet',
    until: 'Bis',
    used: 'Verbraucht',
    window_seconds: 'Innerhalb von',
  },
  nothing: 'nichts',
  checksTitle: 'Was der Reihe nach geprüft wird',
  checkPasses: 'lässt durch',
  checkRefuses: 'lehnt ab',
  mendTitle: 'Was Sie tun können',
  nothingToMend: 'Hier ist nichts zu tun.',
  throttle: 'Wer gerade gedrosselt wird',
  noMend: 'Kein Knopf behebt das. Erst muss geschehen, was die Worte oben verlangen.',
  steps: {
    account_waits_for_deletion:
      'Die Person öffnet den Link in der E-Mail zur Löschung. Niemand sonst kann die Löschung zurücknehmen.',
    account_locked_out:
      'Fragen Sie die Person, ob es ihre eigenen Versuche waren. Wenn nicht, lassen Sie die Aussperrung: Sie hält einen Fremden fern.',
    account_must_change_password: 'Die Person setzt bei der nächsten Anmeldung ein neues Passwort.',
    account_must_enrol: 'Die Person richtet bei der nächsten Anmeldung einen zweiten Faktor ein.',
    caller_ended: 'Die Person meldet sich neu an.',
    claim_exp: 'Der Client erneuert sein Token, oder die Person meldet sich neu an.',
    claim_iat: 'Vergleichen Sie die Uhren der Rechner.',
    claim_nbf: 'Vergleichen Sie die Uhren der Rechner.',
    csrf_token_absent:
      'Die Seite oder der Client muss bei jeder Änderung mit einer Sitzung X-CSRF-Token senden.',
    database_unavailable: 'Die Übersicht sagt, was der Datenbank fehlt.',
    limit_address:
      'Die ganze Adresse wird gedrosselt, mit allen Konten dahinter. Warten Sie, bis sie wieder frei ist, oder geben Sie die Adresse frei.',
    limit_second_factor:
      'Warten Sie, bis es wieder frei ist, oder leeren Sie die Zählung des Benutzernamens.',
    limit_username_address:
      'Warten Sie, bis es wieder frei ist, oder leeren Sie die Zählung des Benutzernamens. Fragen Sie hier nach dem Namen, um zu sehen, was sein Konto braucht.',
    login_too_old: 'Die Person meldet sich neu an und wiederholt es.',
    mail_off: 'Setzen Sie SMTP_URL, und starten Sie den Dienst neu.',
    no_such_account: 'Suchen Sie in den Konten nach der richtigen Schreibweise.',
    not_ready: 'Die Übersicht sagt, was fehlt.',
    mail_not_sent:
      'Die Ansicht der E-Mails zeigt, was der Mailserver antwortet. Danach versucht die Person es noch einmal.',
    queue_full:
      'Es wurde zu viel auf einmal verlangt. Bleibt es dabei, geben Sie dem Dienst mehr Kerne.',
    session_idle: 'Die Person meldet sich neu an.',
    session_too_old: 'Die Person meldet sich neu an.',
    session_ended_with_logins: 'Die Person meldet sich neu an.',
    session_unknown: 'Die Person meldet sich neu an.',
    sign_up_off:
      'Legen Sie das Konto an, und verknüpfen Sie die Identität damit; oder setzen Sie OIDC_SIGN_UP.',
    token_revoked: 'Der Client meldet sich neu an.',
    token_signed_out: 'Der Client meldet sich neu an.',
    too_many_requests:
      'Warten Sie, bis die Adresse wieder frei ist, oder erhöhen Sie RATE_LIMIT_MAX.',
    username_absent:
      'Der Client sendet die Felder username und password, als Formular oder als JSON: Sehen Sie sich die Namen seiner Felder an.',
    wrong_password: 'Hat die Person es vergessen, senden Sie ihr einen Link, der ein neues setzt.',
  },
  mends: {
    unlock: {
      action: 'Entsperren',
      effect: 'Das Konto kann sich wieder anmelden. Sie können es rückgängig machen.',
    },
    enable: {
      action: 'Einschalten',
      effect: 'Das Konto kann sich wieder anmelden. Sie können es rückgängig machen.',
    },
    clear_throttle: {
      action: 'Drosselung aufheben',
      effect: 'Vergisst die Fehlversuche dieses Benutzernamens und beendet seine Aussperrung.',
    },
    clear_address: {
      action: 'Adresse freigeben',
      effect:
        'Vergisst die Fehlversuche, die diese Adresse für alle schließen. Die Grenzen der einzelnen Benutzernamen bleiben.',
    },
    send_reset: {
      action: 'Link zum Zurücksetzen senden',
      effect:
        'Die Person bekommt einen Link, der ein neues Passwort setzt. Bis dahin ändert sich nichts.',
    },
    set_password: {
      action: 'Einmalpasswort geben',
      effect: 'Beendet alle Sitzungen und Token des Kontos. Sie sehen das Passwort einmal.',
    },
    remove_second_factor: {
      action: 'Zweiten Faktor entfernen',
      effect: 'Danach genügt das Passwort allein. Seien Sie sicher, wer darum bittet.',
    },
    change_roles: {
      action: 'Rollen ändern',
      effect: 'Öffnet das Konto. Mehr Rollen erlauben mehr als diese eine Anfrage.',
    },
  },
  done: {
    unlock: (username) => `${username} ist entsperrt.`,
    lockedAgain: (username) => `${username} ist wieder gesperrt.`,
    enable: (username) => `${username} ist eingeschaltet.`,
    disabledAgain: (username) => `${username} ist wieder ausgeschaltet.`,
    clear_throttle: (username) => `Die Fehlversuche von ${username} sind vergessen.`,
    clear_address: (address) => `Die Fehlversuche von ${address} sind vergessen.`,
    send_reset: (username) => `Ein Link zum Zurücksetzen ist unterwegs, für das Konto ${username}.`,
    remove_second_factor: (username) => `Der zweite Faktor von ${username} ist entfernt.`,
  },
  confirm: {
    setPassword: (username) => `${username} ein Einmalpasswort geben?`,
    setPasswordEffects: [
      'Beendet alle Sitzungen und alle Token des Kontos.',
      'Das bisherige Passwort gilt nicht mehr.',
      'Die nächste Anmeldung muss ein anderes Passwort setzen.',
    ],
    removeFactor: (username) => `Den zweiten Faktor von ${username} entfernen?`,
    removeFactorEffects: [
      'Das Passwort allein genügt zur Anmeldung, bis wieder ein Faktor eingerichtet ist.',
      'Die Wiederherstellungscodes gelten nicht mehr.',
      'Das lässt sich nicht rückgängig machen: Das Gerät muss neu eingerichtet werden.',
    ],
  },
  timeline: {
    title: 'Davor und danach',
    lately: 'In letzter Zeit',
    ofAccount: 'Was mit diesem Konto geschah',
    ofAddress: 'Was diese Adresse tat',
    empty: 'Das Protokoll hat sonst nichts aus dieser Zeit.',
    this: 'diese Anfrage',
    you: 'Ihnen',
    by: (name) => `von ${name}`,
    from: (address) => `Adresse ${address}`,
    times: (count) => `${count}-mal`,
    whyThis: 'Warum?',
    more: 'Alles davon im Protokoll',
  },
}
