import { eventType } from '../../core/events/types.ts'

type OfPasskey = { readonly user_id: number; readonly passkey: string }

export const passkeyRenamed = eventType<OfPasskey>('passkey_renamed', {
  groups: ['credentials'],
  description: 'a passkey has another name',
  fields: { user_id: '', passkey: 'its id' },
  words: { en: 'Passkey renamed', de: 'Passkey umbenannt' },
})

export const passkeyBackupChanged = eventType<OfPasskey & { readonly eligible: boolean }>(
  'passkey_backup_changed',
  {
    groups: ['credentials'],
    description:
      'a passkey can be copied to other devices from now on, or no longer; recorded at the login',
    fields: { user_id: '', passkey: 'its id', eligible: '' },
    words: { en: 'Passkey copyable', de: 'Passkey kopierbar' },
  },
)

export const passkeyCounterBack = eventType<OfPasskey>('passkey_counter_back', {
  level: 'warn',
  outcome: 'success', // the refusal is an event of its own
  groups: ['credentials', 'refusedLogins'],
  notice: { message: 'passkey_refused' },
  description:
    'the counter of a passkey that belongs to one device did not rise: the passkey may have been copied, and is refused',
  fields: { user_id: '', passkey: 'its id' },
  words: { en: 'Passkey refused', de: 'Passkey abgelehnt' },
})
