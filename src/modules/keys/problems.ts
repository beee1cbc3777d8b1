import type { Problem } from '../../core/errors.ts'

export const keyNotFound: Problem = {
  name: 'keyNotFound',
  isUnlisted: true,
  status: 404,
  error: 'Key not found',
  words: { en: 'There is no such key.', de: 'Diesen Schlüssel gibt es nicht.' },
}

export const keySigns: Problem = {
  name: 'keySigns',
  isUnlisted: true,
  status: 409,
  error: 'Key still signs',
  words: {
    en: 'This key still signs, or its successor does not sign at every node yet. Rotate it at once if it leaked, then wait some seconds.',
    de: 'Dieser Schlüssel signiert noch, oder sein Nachfolger signiert noch nicht an jedem Knoten. Wurde er bekannt, ersetzen Sie ihn sofort und warten Sie einige Sekunden.',
  },
}

export const keyNotReplaced: Problem = {
  name: 'keyNotReplaced',
  isUnlisted: true,
  status: 409,
  error: 'Key cannot be replaced here',
  words: {
    en: 'This key is in the settings of the service: replace it there.',
    de: 'Dieser Schlüssel steht in den Einstellungen des Dienstes: Ersetzen Sie ihn dort.',
  },
}
