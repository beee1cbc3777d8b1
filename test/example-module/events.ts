import { eventType } from '../../src/core/events/types.ts'

export const noteWritten = eventType<{ note_id: number; owner_id: number }>('note_written', {
  groups: [],
  description: 'a note is made or changed',
  fields: { note_id: '', owner_id: '' },
  words: { en: 'Note written', de: 'Notiz geschrieben' },
})

export const badgeMade = eventType<{ user_id: number }>('note_badge_made', {
  groups: ['credentials'],
  notice: {},
  description: 'a badge that signs in is made',
  fields: { user_id: '' },
  words: { en: 'Badge made', de: 'Ausweis erstellt' },
})

export const badgeRemoved = eventType<{ user_id: number }>('note_badge_removed', {
  groups: ['credentials'],
  notice: {},
  description: 'the owner removes the badge that signs in',
  fields: { user_id: '' },
  words: { en: 'Badge removed', de: 'Ausweis entfernt' },
})
