import type { Room } from '../room/room.ts'
import { loginFail, loginSuccess } from './events.ts'

export const room: Room = {
  name: 'authentication',
  events: [loginFail, loginSuccess],
  errors: [
    'invalidCredentials',
    'secondFactorRequired',
    'passwordChangeRequired',
    'enrolmentRequired',
  ],
  settings: ['REQUIRE_SECOND_FACTOR'],
}
