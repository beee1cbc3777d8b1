import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  token_extension: {
    guard: 'token',
    explanation: 'The header of the token has crit or b64, and no extension is supported.',
    words: {
      de: 'Der Header des Tokens hat crit oder b64, und keine Erweiterung wird unterstützt.',
    },
  },
  token_unknown_key: {
    guard: 'token',
    explanation:
      'No key of the issuer has the kid of the token: the key was removed or is of another service.',
    words: {
      de: 'Kein Schlüssel des Ausstellers hat die kid des Tokens: Er wurde entfernt oder gehört zu einem anderen Dienst.',
    },
    facts: ['kid'],
  },
  token_wrong_algorithm: {
    guard: 'token',
    explanation: 'The alg of the token is not the algorithm of its key.',
    words: { de: 'Die alg des Tokens ist nicht der Algorithmus seines Schlüssels.' },
    facts: ['alg', 'expected'],
  },
  token_bad_signature: {
    guard: 'token',
    explanation: 'The signature does not match: the token was changed, or another key signed it.',
    words: {
      de: 'Die Signatur passt nicht: Das Token wurde verändert, oder ein anderer Schlüssel hat es signiert.',
    },
    facts: ['kid'],
  },
  claim_type: {
    guard: 'token',
    explanation:
      'The claim type is not the one that the route accepts: for example a refresh token at a route for access tokens.',
    words: {
      de: 'Der Anspruch type ist nicht der, den die Route annimmt: zum Beispiel ein Refresh-Token, wo ein Access-Token verlangt ist.',
    },
    facts: ['type', 'expected'],
  },
  claim_malformed: {
    guard: 'token',
    explanation: 'A claim is missing or is not of its type.',
    words: { de: 'Ein Anspruch fehlt oder hat nicht seinen Typ.' },
    facts: ['claim'],
  },
  claim_exp: {
    guard: 'token',
    explanation: 'The token has expired (claim exp).',
    words: { de: 'Das Token ist abgelaufen (Anspruch exp).' },
    facts: ['user_id', 'exp_at', 'expired_seconds_ago'],
    nextStep: 'the client refreshes the token, or the user logs in again',
    advice: {
      en: 'The client renews its token, or the person logs in again.',
      de: 'Der Client erneuert sein Token, oder die Person meldet sich neu an.',
    },
  },
  claim_nbf: {
    guard: 'token',
    explanation: 'The token is not valid yet (claim nbf). Perhaps the clocks differ.',
    words: {
      de: 'Das Token gilt noch nicht (Anspruch nbf). Vielleicht gehen die Uhren verschieden.',
    },
    facts: ['user_id', 'nbf_at', 'valid_in_seconds'],
    advice: {
      en: 'Compare the clocks of the machines.',
      de: 'Vergleichen Sie die Uhren der Rechner.',
    },
  },
  claim_iat: {
    guard: 'token',
    explanation: 'The token was issued in the future (claim iat). Perhaps the clocks differ.',
    words: {
      de: 'Das Token wurde in der Zukunft ausgestellt (Anspruch iat). Vielleicht gehen die Uhren verschieden.',
    },
    facts: ['user_id', 'iat_at', 'valid_in_seconds'],
    advice: {
      en: 'Compare the clocks of the machines.',
      de: 'Vergleichen Sie die Uhren der Rechner.',
    },
  },
  token_revoked: {
    guard: 'token',
    explanation: 'The token was revoked: its jti is on the deny-list.',
    words: { de: 'Das Token wurde widerrufen: Seine jti steht auf der Sperrliste.' },
    facts: ['user_id'],
    event: 'tokenReuse',
    advice: { en: 'The client logs in again.', de: 'Der Client meldet sich neu an.' },
  },
  token_pair_ended: {
    guard: 'token',
    explanation:
      'The pair of the token has ended, by a logout, a revocation or the reuse of a refresh token.',
    words: {
      de: 'Das Paar des Tokens ist beendet: durch eine Abmeldung, einen Widerruf oder die zweite Benutzung eines Refresh-Tokens.',
    },
    facts: ['user_id'],
    event: 'tokenReuse',
  },
  token_signed_out: {
    guard: 'token',
    explanation: 'The account ended all its tokens since this one was issued: its ver is too low.',
    words: {
      de: 'Das Konto hat alle seine Tokens beendet, seit dieses ausgestellt wurde: Seine ver ist zu klein.',
    },
    facts: ['user_id', 'ver', 'needed_ver'],
    event: 'tokenReuse',
    advice: { en: 'The client logs in again.', de: 'Der Client meldet sich neu an.' },
  },
  token_revoked_earlier: {
    guard: 'token',
    explanation:
      'The token is older than the log of revocations, and the tables say that it has ended.',
    words: {
      de: 'Das Token ist älter als das Protokoll der Widerrufe, und die Tabellen sagen, dass es beendet ist.',
    },
    facts: ['user_id'],
    event: 'tokenReuse',
  },
  refresh_token_absent: {
    guard: 'token',
    explanation: 'The request carries no text as refresh_token.',
    words: { de: 'Die Anfrage enthält keinen Text als refresh_token.' },
  },
  refresh_token_reused: {
    guard: 'token',
    explanation: 'The refresh token was used before: the whole pair has ended now.',
    words: { de: 'Das Refresh-Token wurde schon benutzt: Das ganze Paar ist jetzt beendet.' },
    facts: ['user_id'],
  },
  refresh_token_revoked: {
    guard: 'token',
    explanation: 'The refresh token was revoked.',
    words: { de: 'Das Refresh-Token wurde widerrufen.' },
    facts: ['user_id'],
    event: 'tokenReuse',
  },
  refresh_account_gone: {
    guard: 'token',
    explanation: 'The account of the refresh token does not exist any more.',
    words: { de: 'Das Konto des Refresh-Tokens gibt es nicht mehr.' },
    facts: ['user_id'],
  },
  token_malformed: {
    guard: 'token',
    explanation:
      'The token is no compact JWS: three canonical base64url segments with a JSON header, of at most 8 kB.',
    words: {
      de: 'Das Token ist kein kompaktes JWS: drei kanonische base64url-Teile mit JSON-Header, höchstens 8 kB.',
    },
  },
  token_payload_malformed: {
    guard: 'token',
    explanation: 'The payload of the token is no JSON object.',
    words: { de: 'Der Inhalt des Tokens ist kein JSON-Objekt.' },
  },
  claim_iss: {
    guard: 'token',
    explanation: 'The claim iss is not the configured issuer.',
    words: { de: 'Der Anspruch iss ist nicht der eingestellte Aussteller.' },
    facts: ['iss', 'expected'],
  },
  claim_sub: {
    guard: 'token',
    explanation: 'The claim sub is no subject.',
    words: { de: 'Der Anspruch sub ist keine gültige Person.' },
  },
  claim_aud: {
    guard: 'token',
    explanation: 'The claim aud does not contain the configured audience.',
    words: { de: 'Der Anspruch aud enthält nicht den eingestellten Empfänger.' },
    facts: ['aud', 'expected'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
