import { fileBeside, type Room } from '../../core/module/room.ts'

export const room: Room = {
  name: 'authentication',
  events: fileBeside(import.meta.url, './events'),
  errors: ['confirmationRequired', 'invalidCredentials', 'passwordChangeRequired'],
  settings: ['REQUIRE_SECOND_FACTOR'],
}
