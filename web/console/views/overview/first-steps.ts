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
  /** Whether all is well only with it, or once the administrator has dismissed it. */
  readonly isEssential?: boolean
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
    isEssential: true,
    words: {
      en: [
        'A second factor for each administrator',
        'Set up yours; REQUIRE_SECOND_FACTOR=ADMIN asks the others for theirs.',
      ],
      de: [
        'Ein zweiter Faktor für jeden Administrator',
        'Richten Sie Ihren ein; REQUIRE_SECOND_FACTOR=ADMIN verlangt ihn von den anderen.',
      ],
    },
    inStatus: () => null,
    look: secondFactors,
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

/** Whether each person that can use the role ADMIN has one. Keys, not passwords, open a service account. */
async function secondFactors(signal: AbortSignal, cursor?: string): Promise<boolean> {
  const filter = { role: 'ADMIN', second_factor: false, limit: 100 } as const
  const query = cursor === undefined ? filter : { ...filter, cursor }
  const page = await dataOf(api.GET('/api/admin/accounts', { params: { query }, signal }))
  if (!('next' in page)) return false // without filters alone
  const isUsed = ({ active, email, locked }: (typeof page.data)[number]) =>
    active && !locked && !email.endsWith('@service.invalid')
  if (page.data.some(isUsed)) return false
  return page.next === null || secondFactors(signal, page.next)
}
