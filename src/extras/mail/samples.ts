import type { MessageContext, MessageFacts, MessageName } from './message-types.ts'

export interface Sample {
  /** Unique. */
  readonly title: string
  readonly message: MessageName
  readonly facts: MessageFacts[MessageName]
  readonly context: MessageContext
}

const at = Date.UTC(2026, 10, 22, 16, 32)
const minutes = (count: number) => at + count * 60_000
const token = 'bWFpbC1jb25maXJtYXRpb24.c2VjcmV0LW9mLXRoZS1saW5r'
/** Not valid anywhere. */
export const sampleSecrets = { token, code: '12345678' } as const

const origin = {
  at,
  address: '203.0.113.7',
  device: { browser: 'Firefox', system: 'Linux' },
} as const
const username = 'ann'
const asked = { username, origin }
const notice = asked
const byAdministrator = {
  origin: { at, address: null, device: null },
  username,
  by: 'administrator',
} as const

export function samplesOf(plain: Pick<MessageContext, 'name' | 'baseUrl'>): readonly Sample[] {
  const linked = (path: string, life: number): MessageContext => ({
    ...plain,
    link: `${plain.baseUrl}${path}?token=${token}`,
    code: sampleSecrets.code,
    expiresAt: minutes(life),
  })
  const sample = <Name extends MessageName>(
    message: Name,
    facts: MessageFacts[Name],
    context: MessageContext = plain,
    title: string = message,
  ): Sample => ({ title, message, facts, context })

  return [
    sample('verification', { origin }, linked('/verify', 24 * 60)),
    sample('sign_up', { origin }, linked('/signup', 24 * 60)),
    sample('sign_up_exists', asked),
    sample('sign_in', asked, linked('/signin', 10)),
    sample('proof', asked, { ...plain, code: sampleSecrets.code, expiresAt: minutes(10) }),
    sample('reset', asked, linked('/reset', 30)),
    sample(
      'reset',
      { ...asked, by: 'administrator' },
      linked('/reset', 30),
      'reset-by-administrator',
    ),
    sample(
      'reset',
      { origin, username: null, by: 'administrator' },
      linked('/reset', 30),
      'reset-vouched',
    ),
    sample(
      'invitation',
      { name: 'Ann Ash', invitedBy: 'Bo Birch', origin },
      linked('/invitation', 7 * 24 * 60),
    ),
    sample(
      'invitation',
      { name: null, invitedBy: null },
      linked('/invitation', 60),
      'invitation-bare',
    ),
    sample('email_change', { origin }, linked('/verify', 60)),
    sample('new_sign_in', notice),
    sample('password_changed', notice),
    sample(
      'password_changed',
      { ...notice, linked: ['acme', 'default'] },
      plain,
      'password_changed-linked',
    ),
    sample('password_changed', { ...notice, isLast: true }, plain, 'password_changed-last'),
    sample('password_changed', byAdministrator, plain, 'password_changed-by-administrator'),
    sample(
      'email_changed',
      { ...notice, newAddress: 'a…@example.net' },
      linked('/verify', 7 * 24 * 60),
    ),
    sample(
      'email_changed',
      { ...notice, by: 'administrator', newAddress: null },
      plain,
      'email_changed-removed-by-administrator',
    ),
    sample('factor_added', notice),
    sample('factor_removed', notice),
    sample(
      'factor_removed',
      { ...byAdministrator, by: 'operator' },
      plain,
      'factor_removed-by-operator',
    ),
    sample('passkey_refused', notice),
    sample('app_password_added', notice),
    sample('device_remembered', notice),
    sample('recovery_codes_renewed', notice),
    sample('recovery_code_used', { ...notice, left: 9 }),
    sample('recovery_code_used', { ...notice, left: 1 }, plain, 'recovery_code_used-one-left'),
    sample('recovery_code_used', { ...notice, left: 0 }, plain, 'recovery_code_used-last'),
    sample('identity_linked', { ...notice, provider: 'acme' }),
    sample('identity_unlinked', { ...notice, provider: 'acme' }),
    sample('locked', {
      ...notice,
      by: 'service',
      origin: { ...origin, device: { browser: null, system: null } },
      until: minutes(30),
    }),
    sample(
      'locked',
      { ...notice, by: 'service', until: minutes(30), during: 'reset' },
      plain,
      'locked-at-reset',
    ),
    sample(
      'deletion_requested',
      { ...notice, deletionAt: minutes(7 * 24 * 60) },
      linked('/reset', 7 * 24 * 60),
    ),
    sample(
      'deletion_requested_former',
      { ...notice, deletionAt: minutes(7 * 24 * 60) },
      linked('/verify', 5 * 24 * 60),
    ),
    sample('deletion_cancelled', notice),
    sample('key_expiring', {
      ...notice,
      by: 'service',
      keyId: 'q0Tn4kXn8Zc1mVbY',
      endsAt: minutes(7 * 24 * 60),
    }),
    sample('account_event', {
      ...notice,
      words: { en: 'Badge made', de: 'Ausweis erstellt' },
    }),
    sample('account_deleted', asked),
    sample('test', { at }),
  ]
}
