import type { keys as english } from './en.ts'

export const keys: typeof english = {
  title: 'Schlüssel',
  intro:
    'Die Schlüssel, die Tokens signieren. Ersetzen Sie sie jedes halbe Jahr, und sofort, wenn einer bekannt wurde. Ein ersetzter Schlüssel prüft die Tokens noch, die er signiert hat, bis sie ablaufen.',
  purposes: {
    signing: 'Access-Tokens',
    refresh: 'Refresh-Tokens',
    identity: 'ID-Tokens',
    data: 'Gespeicherte Geheimnisse',
  },
  hints: {
    signing:
      'Ihre Dienste prüfen diese Tokens, mit RS256 durch die öffentlichen Schlüssel weiter unten.',
    refresh: 'Nur dieser Dienst liest diese Tokens.',
    identity:
      'Anwendungen, die hier anmelden, prüfen diese Tokens durch die öffentlichen Schlüssel weiter unten.',
    data: 'Verschlüsselt Geheimnisse zweiter Faktoren und Ähnliches. Er wird nie ersetzt.',
  },
  captions: {
    signing: 'Schlüssel der Access-Tokens',
    refresh: 'Schlüssel der Refresh-Tokens',
    identity: 'Schlüssel der ID-Tokens',
    data: 'Schlüssel, die gespeicherte Geheimnisse verschlüsseln',
  },
  kid: 'Schlüssel (kid)',
  algorithm: 'Algorithmus',
  state: 'Zustand',
  createdAt: 'Gemacht',
  signsFrom: 'Signiert ab',
  verifiesUntil: 'Prüft bis',
  action: 'Aktion',
  sinceMade: 'seit er gemacht wurde',
  untilReplaced: 'bis er ersetzt wird',
  states: {
    signs: 'signiert',
    published: 'signiert bald',
    verifies: 'prüft',
    ended: 'beendet',
    encrypts: 'verschlüsselt',
  },
  configured: 'aus den Einstellungen',
  configuredHint:
    'Dieser Schlüssel steht in TOKEN_SECRET oder TOKEN_PRIVATE_KEY. Nur dort kann er ersetzt werden, mit einem Neustart.',
  none: 'Es gibt keinen.',
  rotate: 'Ersetzen',
  rotateNow: 'Er wurde bekannt: sofort ersetzen',
  rotateTitle: {
    signing: 'Den Schlüssel der Access-Tokens ersetzen?',
    refresh: 'Den Schlüssel der Refresh-Tokens ersetzen?',
    identity: 'Den Schlüssel der ID-Tokens ersetzen?',
  },
  rotateEffects: {
    identity: [
      'Ein neuer Schlüssel wird jetzt gemacht und veröffentlicht. Er signiert, sobald die Anwendungen ihn kennen, die die öffentlichen Schlüssel aufheben.',
      'ID-Tokens des jetzigen bleiben gültig, bis sie ablaufen: Niemand wird abgemeldet.',
    ],
    signing: [
      'Ein neuer Schlüssel wird jetzt gemacht und veröffentlicht. Er signiert, sobald die Dienste ihn kennen, die die öffentlichen Schlüssel aufheben.',
      'Tokens des jetzigen bleiben gültig, bis sie ablaufen: Niemand wird abgemeldet.',
    ],
    refresh: [
      'Ein neuer Schlüssel wird gemacht und signiert, sobald alle Knoten ihn kennen.',
      'Tokens des jetzigen bleiben gültig, bis sie ablaufen: Niemand wird abgemeldet.',
    ],
  },
  rotateNowEffects: {
    identity: [
      'Ein neuer Schlüssel signiert in 3 Sekunden.',
      'Anwendungen, die die öffentlichen Schlüssel aufheben, lehnen vielleicht 5 Minuten lang Anmeldungen ab.',
      'Der alte prüft noch. Beenden Sie ihn danach: Erst das lehnt Tokens ab, die andere mit ihm machen.',
    ],
    signing: [
      'Ein neuer Schlüssel signiert in 3 Sekunden.',
      'Dienste, die die öffentlichen Schlüssel aufheben, lehnen neue Tokens vielleicht 5 Minuten lang ab.',
      'Der alte prüft noch. Beenden Sie ihn danach: Erst das lehnt Tokens ab, die andere mit ihm machen.',
    ],
    refresh: [
      'Ein neuer Schlüssel signiert in 3 Sekunden.',
      'Der alte prüft noch. Beenden Sie ihn danach: Erst das lehnt Tokens ab, die andere mit ihm machen.',
    ],
  },
  rotated: (kid) => `Der neue Schlüssel ist ${kid}.`,
  rotatedAtOnce: (kid, before) =>
    `Der neue Schlüssel ist ${kid}. Beenden Sie ${before}, sobald der Knopf dafür erscheint.`,
  retire: 'Beenden',
  retireTitle: (kid) => `Den Schlüssel ${kid} beenden?`,
  retireEffects: {
    identity: [
      'Anwendungen fragen vielleicht nach einer neuen Anmeldung; eine Abmeldung, um die eine bittet, kann scheitern.',
      'Das lässt sich nicht rückgängig machen.',
    ],
    signing: [
      'Jedes Access-Token, das er signiert hat, wird von jetzt an abgelehnt.',
      'Wer ein Refresh-Token hat, bekommt damit ein neues; alle anderen melden sich wieder an.',
      'Dienste, die die öffentlichen Schlüssel aufheben, nehmen seine Tokens vielleicht noch 5 Minuten lang an.',
      'Das lässt sich nicht rückgängig machen.',
    ],
    refresh: [
      'Jedes Refresh-Token, das er signiert hat, wird von jetzt an abgelehnt.',
      'Wer eines hat, meldet sich wieder an, sobald das Access-Token abläuft.',
      'Das lässt sich nicht rückgängig machen.',
    ],
    data: ['Das lässt sich nicht rückgängig machen.'],
  },
  retired: (kid) => `Der Schlüssel ${kid} ist beendet: Seine Tokens werden abgelehnt.`,
  publicKeys: 'Öffentliche Schlüssel',
  jwksHint: 'Dienste, die Access-Tokens prüfen, lesen sie hier (JWKS, RFC 7517).',
  jwksAddress: 'die Adresse der öffentlichen Schlüssel',
  jwksNone:
    'Es gibt keine: Diese Tokens sind mit HS256 signiert, durch ein Geheimnis. Mit TOKEN_ALGORITHM=RS256 können andere Dienste Tokens selbst prüfen.',
  jwksText: 'Wie Dienste es lesen',
}
