import type { Room } from '../room/room.ts'
import { passwordBreachQueryFail } from './events.ts'

export const room: Room = {
  name: 'passwords',
  events: [passwordBreachQueryFail],
  settings: [
    'PASSWORD_HASH',
    'PASSWORD_MIN_LENGTH',
    'PASSWORD_ARGON2_MEMORY_KIB',
    'PASSWORD_ARGON2_PASSES',
    'PASSWORD_BCRYPT_COST',
    'PASSWORD_PBKDF2_ITERATIONS',
    'PASSWORD_BREACH_URL',
  ],
}
