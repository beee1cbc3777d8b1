import type { Problem } from '../../core/errors.ts'

export const invalidClient: Problem = {
  name: 'invalidClient',
  status: 401,
  error: 'invalid_client',
  isChallenged: true,
}

export const clientNotFound: Problem = {
  name: 'clientNotFound',
  isUnlisted: true,
  status: 404,
  error: 'Client not found',
  words: {
    en: 'There is no such client: it was removed, or never was.',
    de: 'Diesen Client gibt es nicht: Er wurde entfernt, oder es gab ihn nie.',
  },
}

export const clientExists: Problem = {
  name: 'clientExists',
  isUnlisted: true,
  status: 409,
  error: 'Client already exists',
  words: {
    en: 'There is a client of this id already.',
    de: 'Einen Client mit dieser Kennung gibt es schon.',
  },
}

export const clientInFile: Problem = {
  name: 'clientInFile',
  isUnlisted: true,
  status: 409,
  error: 'Client is in the file of clients',
  words: {
    en: 'This client stands in the file of clients: change it there.',
    de: 'Dieser Client steht in der Datei der Clients: Ändern Sie ihn dort.',
  },
}

export const noOtherSecret: Problem = {
  name: 'noOtherSecret',
  isUnlisted: true,
  status: 409,
  error: 'Client has no earlier secret',
  words: {
    en: 'The client has no earlier secret.',
    de: 'Der Client hat kein früheres Geheimnis.',
  },
}

export const hasNoSecrets: Problem = {
  name: 'hasNoSecrets',
  isUnlisted: true,
  status: 409,
  error: 'Client has no secret',
  words: {
    en: 'A client of this kind has no secret.',
    de: 'Ein Client dieser Art hat kein Geheimnis.',
  },
}
