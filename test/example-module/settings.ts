import { integer } from '../../src/core/config/kinds.ts'

export const settings = {
  NOTES_KEEP_DAYS: integer({ default: 30, min: 1, doc: 'How long a note is kept. Days.' }),
}
