import type { Room } from '../room/room.ts'

export const room: Room = {
  name: 'emails',
  errors: ['emailExists', 'emailNotVerified'],
  settings: ['VERIFICATION_SECONDS', 'EMAIL_CHANGE_SECONDS'],
}
