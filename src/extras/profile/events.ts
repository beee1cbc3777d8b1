import { eventType } from '../../core/events/types.ts'

export const profileChanged = eventType<{
  readonly user_id: number
  readonly fields: readonly string[]
}>('profile_changed', {
  groups: ['accounts'],
  description: 'values of profile fields change; the event does not have the values',
  fields: { user_id: '', fields: 'the names of the changed fields' },
  words: { en: 'Profile changed', de: 'Profil geändert' },
})

export const profileFileChanged = eventType<{ fields: number }>('sys_profile_file_changed', {
  groups: [],
  description: 'a changed `PROFILE_FILE` is taken up',
  fields: { fields: 'how many' },
  words: { en: 'Profile fields changed', de: 'Profilfelder geändert' },
})

export const profileFileBroken = eventType<{ mistakes: number; fields: number }>(
  'sys_profile_file_broken',
  {
    level: 'critical',
    groups: ['service'],
    description: 'a changed `PROFILE_FILE` has mistakes, which the log lists, and is not taken up',
    fields: { mistakes: 'how many', fields: 'how many stay in force' },
    words: { en: 'Profile fields have mistakes', de: 'Profilfelder sind fehlerhaft' },
  },
)
