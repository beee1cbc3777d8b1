import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  account_locked: {
    guard: 'account',
    explanation: 'An administrator has locked the account.',
    words: { de: 'Die Administration hat das Konto gesperrt.' },
    facts: ['user_id', 'asked_of'],
    remedies: ['unlock'],
    nextStep: 'gatehouse account unlock NAME',
  },
  account_disabled: {
    guard: 'account',
    explanation: 'The account is disabled (active is false).',
    words: { de: 'Das Konto ist ausgeschaltet (active ist false).' },
    facts: ['user_id', 'asked_of'],
    remedies: ['enable'],
    nextStep: 'gatehouse account enable NAME',
  },
  account_waits_for_deletion: {
    guard: 'account',
    explanation:
      'The owner has asked for the deletion of the account, which a link by mail can take back.',
    words: {
      de: 'Die Person hat die Löschung des Kontos beantragt; mit einem Link per E-Mail kann sie die Löschung zurücknehmen.',
    },
    facts: ['user_id', 'asked_of'],
    nextStep: 'the owner opens the link of the mail on the deletion',
    advice: {
      en: 'The owner opens the link in the mail about the deletion. No one else can cancel the deletion.',
      de: 'Die Person öffnet den Link in der E-Mail zur Löschung. Niemand sonst kann die Löschung zurücknehmen.',
    },
  },
  account_of_service: {
    guard: 'account',
    explanation: 'A service account has no login. A program authenticates by a key of the account.',
    words: {
      de: 'Ein Dienstkonto hat keine Anmeldung. Ein Programm weist sich mit einem Schlüssel des Kontos aus.',
    },
    facts: ['user_id', 'asked_of'],
  },
  account_locked_out: {
    guard: 'account',
    explanation: 'The account is locked out after LOGIN_LOCK_AFTER failed logins in a row.',
    words: { de: 'Das Konto ist nach LOGIN_LOCK_AFTER Fehlversuchen in Folge ausgesperrt.' },
    facts: ['user_id', 'asked_of', 'until'],
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
    nextStep: 'wait until then, or gatehouse account unlock NAME',
    advice: {
      en: 'Ask the person whether these attempts were their own. If not, leave the lockout: it keeps a stranger out.',
      de: 'Fragen Sie die Person, ob es ihre eigenen Versuche waren. Wenn nicht, lassen Sie die Aussperrung: Sie hält einen Fremden fern.',
    },
  },
  account_password_changed: {
    guard: 'account',
    explanation: 'The password of the account was changed while the request was under way.',
    words: { de: 'Das Passwort des Kontos wurde geändert, während die Anfrage lief.' },
    facts: ['user_id', 'asked_of'],
  },
  account_needs_factor: {
    guard: 'account',
    explanation: 'The account has a second factor, which this way to authenticate cannot prove.',
    words: {
      de: 'Das Konto hat einen zweiten Faktor, den diese Art der Anmeldung nicht beweisen kann.',
    },
    facts: ['user_id', 'asked_of'],
    remedies: ['remove_second_factor'],
  },
  account_must_change_password: {
    guard: 'account',
    explanation: 'The account must change its password first.',
    words: { de: 'Das Konto muss zuerst sein Passwort ändern.' },
    facts: ['user_id', 'asked_of'],
    remedies: ['send_reset', 'set_password'],
    nextStep: 'the user logs in with a new password, in new_password',
    advice: {
      en: 'The person sets a new password at the next login.',
      de: 'Die Person setzt bei der nächsten Anmeldung ein neues Passwort.',
    },
  },
  account_must_enrol: {
    guard: 'account',
    explanation:
      'A role of the account requires a second factor (REQUIRE_SECOND_FACTOR), and it has none.',
    words: {
      de: 'Eine Rolle des Kontos verlangt einen zweiten Faktor (REQUIRE_SECOND_FACTOR), und es hat keinen.',
    },
    facts: ['user_id', 'asked_of'],
    nextStep: 'the user enrols a second factor, with the enrolment_token of the answer',
    advice: {
      en: 'The person sets up a second factor at the next login.',
      de: 'Die Person richtet bei der nächsten Anmeldung einen zweiten Faktor ein.',
    },
  },
  requirement_added: {
    guard: 'account',
    explanation: 'The account got a further requirement while the login was under way.',
    words: { de: 'Das Konto bekam eine weitere Bedingung, während die Anmeldung lief.' },
    facts: ['user_id', 'requirement'],
  },
  account_changed: {
    guard: 'account',
    explanation:
      'The account ended its logins since: a new password, a lock, a factor, or a sign-out everywhere.',
    words: {
      de: 'Das Konto hat seine Anmeldungen seitdem beendet: durch ein neues Passwort, eine Sperre, einen Faktor oder eine Abmeldung überall.',
    },
    facts: ['user_id', 'asked_of'],
  },
  account_gone: {
    guard: 'account',
    explanation: 'The account was deleted while the request was under way.',
    words: { de: 'Das Konto wurde gelöscht, während die Anfrage lief.' },
    facts: ['user_id'],
  },
  enrolment_due: {
    guard: 'account',
    explanation:
      'The login was right; a role of the account requires a second factor, which must be enrolled first.',
    words: {
      de: 'Die Anmeldung stimmte; eine Rolle des Kontos verlangt einen zweiten Faktor, der zuerst eingerichtet werden muss.',
    },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
