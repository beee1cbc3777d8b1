import { api, dataOf } from '../../api/client.ts'
import { session } from '../../session/session.ts'
import type { Status } from './read.ts'

/** What an installation needs first, and where it is done. */
export const steps = [
  { id: 'password', href: '/account/password' },
  { id: 'factor', href: '/account/second-factor' },
  { id: 'mail', href: '/admin/mail' },
  { id: 'backup', href: '/admin/backups' },
  { id: 'https', href: '/admin/doctor' },
] as const

export type Step = (typeof steps)[number]

/** Whether each is done; null: it could not be read. */
export type Steps = Readonly<Record<Step['id'], boolean | null>>

/** Looks which of the first steps are done. */
export async function readSteps(status: Status, signal: AbortSignal): Promise<Steps> {
  const [password, factor, mail, backup] = await Promise.all(
    [
      ownPassword(signal),
      secondFactor(signal),
      mailWasSent(status, signal),
      hasBackup(status, signal),
    ].map((reading) => reading.catch(() => null)),
  )
  return {
    password: password ?? null,
    factor: factor ?? null,
    mail: mail ?? null,
    backup: backup ?? null,
    https: location.protocol === 'https:' && status.base_url.startsWith('https:'),
  }
}

/** Whether the password is the person's own: the first start made that of the first administrator. */
async function ownPassword(signal: AbortSignal): Promise<boolean> {
  const target = session.value?.username ?? ''
  const type = ['user_created', 'authn_password_change']
  const { data } = await dataOf(
    api.GET('/api/admin/audit', { params: { query: { target, type, limit: 100 } }, signal }),
  )
  const isFirst = data.some(
    ({ actor, type: of }) => of === 'user_created' && actor.kind === 'bootstrap',
  )
  return !isFirst || data.some(({ type: of }) => of === 'authn_password_change')
}

async function secondFactor(signal: AbortSignal): Promise<boolean> {
  return (await dataOf(api.GET('/api/account', { signal }))).second_factor
}

/** Whether the mail server has taken a mail; what is written to a file in development is none. */
async function mailWasSent({ mail }: Status, signal: AbortSignal): Promise<boolean> {
  if (!mail?.server) return false
  const query = { state: 'sent', limit: 100 } as const
  const { data } = await dataOf(api.GET('/api/admin/mail', { params: { query }, signal }))
  return data.some(({ response }) => !response?.startsWith('written to '))
}

/** A backup of the service, or one that the command line made. */
async function hasBackup({ backups }: Status, signal: AbortSignal): Promise<boolean> {
  if (backups?.last_at) return true
  const query = { type: ['backup_made'], limit: 1 }
  return (await dataOf(api.GET('/api/admin/audit', { params: { query }, signal }))).data.length > 0
}
