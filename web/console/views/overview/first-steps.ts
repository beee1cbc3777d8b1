import type { Language } from '../../../../src/core/lib/languages.ts'
import { api, dataOf } from '../../api/client.ts'
import { session } from '../../session/session.ts'
import type { Status } from './read.ts'

/** What an installation needs first, and where it is done: `first-step.ts` of a view. */
export interface FirstStep {
  readonly id: string
  /** The place among the steps. */
  readonly order: number
  readonly href: string
  /** The name, and what to do. */
  readonly words: Readonly<Record<Language, readonly [string, string]>>
  /** Whether the step is done, by the status; null: `look` finds out. */
  inStatus(status: Status): boolean | null
  look(signal: AbortSignal): Promise<boolean>
}

/** Whether each step is done, by its id; null: it could not be read. */
export async function readSteps(
  steps: readonly FirstStep[],
  status: Status,
  signal: AbortSignal,
): Promise<Readonly<Record<string, boolean | null>>> {
  const states = await Promise.all(
    steps.map(async (step) => {
      const state = step.inStatus(status) ?? (await step.look(signal).catch(() => null))
      return [step.id, state] as const
    }),
  )
  return Object.fromEntries(states)
}

/** The steps that need no other view. */
export const ownSteps: readonly FirstStep[] = [
  {
    id: 'password',
    order: 10,
    href: '/account/password',
    words: {
      en: ['Your own password', 'Replace the generated or configured password.'],
      de: ['Ihr eigenes Passwort', 'Ersetzen Sie das erzeugte oder eingestellte Passwort.'],
    },
    inStatus: () => null,
    look: ownPassword,
  },
  {
    id: 'factor',
    order: 20,
    href: '/account/second-factor',
    words: {
      en: ['A second factor', 'With your roles a stolen password is enough to do everything.'],
      de: [
        'Ein zweiter Faktor',
        'Mit Ihren Rollen genügt sonst ein gestohlenes Passwort für alles.',
      ],
    },
    inStatus: () => null,
    look: secondFactor,
  },
  {
    id: 'https',
    order: 50,
    href: '/admin/doctor',
    words: {
      en: ['HTTPS', 'Set BASE_URL to https and put a proxy or a certificate in front of it.'],
      de: [
        'HTTPS',
        'Setzen Sie BASE_URL auf https, und stellen Sie einen Proxy oder ein Zertifikat davor.',
      ],
    },
    inStatus: ({ base_url }) => location.protocol === 'https:' && base_url.startsWith('https:'),
    look: async () => false,
  },
]

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
