import type { Room } from '../room/room.ts'

export const room: Room = {
  name: 'registration',
  tables: [
    {
      name: 'invitations',
      key: ['id'],
      givesIds: true,
      sealed: ['sealed'],
      needsKeys: true,
      person: { column: 'user_id', gone: 'cleared' },
    },
  ],
  errors: ['invitationNotFound', 'signUpOff'],
  settings: ['SIGN_UP', 'SIGN_UP_ROLES', 'SIGN_UP_DOMAINS', 'INVITATION_SECONDS'],
}
