import { eventType } from '../../src/core/events/types.ts'

/** A note was made or changed. */
export const noteWritten = eventType<{ note_id: number; owner_id: number }>('note_written')
