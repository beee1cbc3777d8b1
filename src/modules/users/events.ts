import { eventType } from '../../core/events/types.ts'

export const userCreated = eventType<{
  user_id: number
  username?: string
  roles?: readonly string[]
  locked?: boolean
  active?: boolean
  issuer?: string
}>('user_created', {
  groups: ['accounts'],
  inOverview: 'ifByAnother',
  description: 'a user, or an account, is made',
  fields: {
    user_id: '',
    username: '',
    roles: '',
    locked: '',
    active: '',
    issuer: 'of the provider through which the user signed up',
  },
  words: { en: 'User created', de: 'Person angelegt' },
})

export const userUpdated = eventType<{ user_id: number }>('user_updated', {
  groups: ['accounts'],
  description: 'a user is changed',
  fields: { user_id: '' },
  words: { en: 'User changed', de: 'Person geändert' },
})

export const userDeleted = eventType<{ user_id: number }>('user_deleted', {
  groups: ['accounts'],
  inOverview: true,
  description: 'a user is deleted, with its account, sessions and tokens',
  fields: { user_id: '' },
  words: { en: 'User deleted', de: 'Person gelöscht' },
})
