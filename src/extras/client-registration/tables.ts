import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'registration_tokens',
    key: ['id'],
    isLogin: true, // a backup may be older than the end of a token
    namesNone: ['id', 'digest', 'name', 'scopes', 'redirect_hosts'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    registration_tokens: RegistrationTokensTable
  }
}

interface RegistrationTokensTable {
  id: string
  digest: string
  name: string
  /** Joined by spaces. */
  scopes: string
  redirect_hosts: string
  /** How many applications can still register. */
  remaining: number
  /** Epoch milliseconds. */
  created_at: number
  expires_at: number
}
