import type { Room } from '../room/room.ts'

export const room: Room = {
  name: 'email-login',
  settings: ['SIGN_IN_BY_MAIL', 'SIGN_IN_CODE_SECONDS'],
}
