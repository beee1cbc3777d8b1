import type { Needs } from '../../core/module/services.ts'

/** What the provider is made of. */
export type ApplicationsNeeds = Pick<
  Needs,
  | 'accountClaims'
  | 'accounts'
  | 'clients'
  | 'clientSecrets'
  | 'clock'
  | 'config'
  | 'db'
  | 'events'
  | 'feed'
  | 'keys'
  | 'measurements'
  | 'modules'
  | 'random'
  | 'requirements'
  | 'sessions'
  | 'users'
>
