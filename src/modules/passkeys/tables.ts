import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'passkeys',
    key: ['id'],
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['name'], atErasure: 'goes with the row' },
    namesNone: ['id', 'credential_id', 'public_key', 'rp_id', 'transports'],
  },
  { name: 'used_passkey_challenges', key: ['id'], namesNone: ['id'] },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    passkeys: PasskeysTable
    used_passkey_challenges: UsedPasskeyChallengesTable
  }
}

interface PasskeysTable {
  /** Digest of the credential id. */
  id: string
  /** base64url. */
  credential_id: string
  user_id: number
  /** COSE_Key in base64url. */
  public_key: string
  algorithm: number
  counter: number
  /** As the authenticator last said. */
  backup_eligible: number
  backed_up: number
  rp_id: string
  name: string
  /** Comma-separated. */
  transports: string
  created_at: number
  used_at: number | null
}

/** A challenge is accepted once. */
interface UsedPasskeyChallengesTable {
  /** Digest. */
  id: string
  expires_at: number
}
