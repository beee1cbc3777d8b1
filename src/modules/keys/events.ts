import { eventType } from '../../core/events/types.ts'

export const keyRotated = eventType<{
  kid: string
  purpose: 'signing' | 'refresh' | 'identity'
  signs_from: string
}>('key_rotated', {
  groups: ['administration'],
  inOverview: true,
  description: 'there is a new key, which is published',
  fields: { kid: '', purpose: '', signs_from: 'the time from which the key signs' },
  words: { en: 'Key rotated', de: 'Schlüssel gewechselt' },
})

export const keyRetired = eventType<{ kid: string }>('key_retired', {
  groups: ['administration'],
  inOverview: true,
  description: 'a key does not verify any more',
  fields: { kid: '' },
  words: { en: 'Key retired', de: 'Schlüssel außer Dienst gestellt' },
})

export const masterKeyRotated = eventType<{ before: string; key: string }>('master_key_rotated', {
  groups: ['administration'],
  inOverview: true,
  description: 'the key set is sealed under another master key',
  fields: { before: 'short name of the former master key', key: 'short name of the present one' },
  words: { en: 'Master key rotated', de: 'Hauptschlüssel gewechselt' },
})
