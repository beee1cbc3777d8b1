import { eventType } from '../events/types.ts'

/** The key signs from now on; the previous one still verifies. */
export const keyRotated = eventType<{ kid: string }>('key_rotated')

/** The key does not verify any more. */
export const keyRetired = eventType<{ kid: string }>('key_retired')
