import { eventType } from '../../src/core/events/types.ts'

export const noteWritten = eventType<{ note_id: number; owner_id: number }>('note_written', {
  groups: [],
  description: 'a note is made or changed',
  fields: { note_id: '', owner_id: '' },
  words: { en: 'Note written', de: 'Notiz geschrieben' },
})
