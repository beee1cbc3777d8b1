import { eventType } from '../../core/events/types.ts'

/** There is a new key, which is published, and signs from that time on. */
export const keyRotated = eventType<{
  kid: string
  purpose: 'signing' | 'refresh'
  /** ISO 8601. */
  signs_from: string
}>('key_rotated')

/** The key does not verify any more. */
export const keyRetired = eventType<{ kid: string }>('key_retired')

/** The key set is sealed under another master key; both are short names. */
export const masterKeyRotated = eventType<{ before: string; key: string }>('master_key_rotated')
