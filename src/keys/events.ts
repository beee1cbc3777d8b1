import { eventType } from '../events/types.ts'

/** The key signs from now on; the one before it still verifies. */
export const keyRotated = eventType<{ kid: string }>('key_rotated')

/** The key verifies no more. */
export const keyRetired = eventType<{ kid: string }>('key_retired')
