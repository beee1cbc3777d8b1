import { fileBeside, type Room } from '../../core/module/room.ts'

export const room: Room = {
  name: 'passwords',
  tables: [
    {
      name: 'passwords',
      key: ['account'],
      refersTo: 'accounts',
      person: { column: 'account', gone: 'removed' },
      present: async () =>
        (await import('../../core/database/pending-import.ts')).isOfPresentAccount,
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  settings: [
    'HASHING_MEMORY_MIB',
    'PASSWORD_HASH',
    'PASSWORD_MIN_LENGTH',
    'PASSWORD_ARGON2_MEMORY_KIB',
    'PASSWORD_ARGON2_PASSES',
    'PASSWORD_BCRYPT_COST',
    'PASSWORD_PBKDF2_ITERATIONS',
    'PASSWORD_BREACH_URL',
  ],
  ofPerson: async () => (await import('./of-person.ts')).sections,
}
