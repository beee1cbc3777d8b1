import type { Room } from '../../core/module/room.ts'

/** The proofs of a person for changes of the own account. docs/adr/0073 */
export const room: Room = { name: 'proofs' }
