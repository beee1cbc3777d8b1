import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languages } from '../src/config/people-settings.ts'
import type { MessageContext, MessageFacts, MessageName } from '../src/mail/message-types.ts'
import { render } from '../src/mail/messages/render.ts'

/** A message with example facts; several of one name show what it says in several cases. */
export interface Sample {
  readonly title: string
  readonly message: MessageName
  readonly facts: MessageFacts[MessageName]
  readonly context: MessageContext
}

const at = Date.UTC(2026, 10, 22, 16, 32)
const minutes = (count: number) => at + count * 60_000
const token = 'bWFpbC1jb25maXJtYXRpb24.c2VjcmV0LW9mLXRoZS1saW5r'
const plain = { name: 'Harbour', baseUrl: 'https://id.example.org' }

/** The secrets of the samples: neither stands in a subject. */
export const sampleSecrets = { token, code: '12345678' } as const

const linked = (path: string, life: number): MessageContext => ({
  ...plain,
  link: `${plain.baseUrl}${path}?token=${token}`,
  code: sampleSecrets.code,
  expiresAt: minutes(life),
})

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

function sample<Name extends MessageName>(
  message: Name,
  facts: MessageFacts[Name],
  context: MessageContext = plain,
  title: string = message,
): Sample {
  return { title, message, facts, context }
}

/** Every message, and what differs by its facts. */
export const samples: readonly Sample[] = [
  sample('verification', asked, linked('/verify', 24 * 60)),
  sample('sign_up', { origin }, linked('/signup', 24 * 60)),
  sample('sign_up_exists', asked),
  sample('sign_in', asked, linked('/signin', 10)),
  sample('reset', asked, linked('/reset', 30)),
  sample(
    'reset',
    { ...asked, by: 'administrator' },
    linked('/reset', 30),
    'reset-by-administrator',
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
  sample('email_change', asked, linked('/verify', 60)),
  sample('new_sign_in', notice),
  sample('password_changed', notice),
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
  sample('test', { at }),
]

const folder = join(import.meta.dirname, 'mails')

/** Writes all samples in all languages, by the path of their golden file. */
export function renderSamples(): Map<string, string> {
  const files = new Map<string, string>()
  for (const language of languages) {
    for (const { title, message, facts, context } of samples) {
      const { subject, text, html } = render(message, facts, language, context)
      files.set(`${language}/${title}.txt`, `Subject: ${subject}\n\n${text}`)
      files.set(`${language}/${title}.html`, html)
    }
  }
  return files
}

/** Where the golden file of a sample is. */
export function pathOfSample(name: string): string {
  return join(folder, name)
}

export function readSample(name: string): string {
  return readFileSync(pathOfSample(name), 'utf8')
}
