import type { Problem } from '../../core/errors.ts'

export const refusalNotFound: Problem = {
  name: 'refusalNotFound',
  status: 404,
  error: 'Refusal not found',
  words: {
    en: 'No refusal of this id is kept: it is older than 24 hours, or the id is another.',
    de: 'Zu dieser Nummer ist keine Ablehnung aufbewahrt: Sie ist älter als 24 Stunden, oder die Nummer ist eine andere.',
  },
}
