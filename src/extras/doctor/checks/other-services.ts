import { ApiError } from '../../../core/errors.ts'
import { reasonOf } from '../../../core/reason.ts'
import { createProviders } from '../../../modules/federation/providers.ts'
import { createTransport } from '../../mail/transport.ts'
import type { Check, Found } from '../check.ts'
import type { OfflineContext } from '../context.ts'

// An operator waits for the answer.
const timeouts = { connect: 5000, greeting: 5000, silence: 5000, mail: 10_000 }

const mailServer: Check<OfflineContext> = {
  id: 'mail_server',
  level: 'error',
  passMessage: 'the mail server greets, speaks TLS and takes the login',
  why: 'Links and codes for passwords and addresses wait, and after a while expire unsent.',
  mend: {
    do: 'Correct host, port, user or password in SMTP_URL; MAIL_CA_FILE names an authority of your own.',
    setting: 'SMTP_URL=smtps://user:password@mail.example.org',
  },
  async find({ clock, config }) {
    if (!config.mail.server) return []
    const transport = createTransport({ config, clock, timeouts })
    try {
      const session = await transport?.open()
      session?.close()
      return []
    } catch (error) {
      return [{ what: `The mail server takes no mail: ${reasonOf(error)}.` }]
    }
  },
}

const providers: Check<OfflineContext> = {
  id: 'identity_providers',
  level: 'warning',
  passMessage: 'each identity provider shows its metadata and its keys',
  why: 'Sign-ins through the provider fail, and its tokens cannot be verified once the last known keys are old.',
  mend: {
    do: 'Compare the issuer letter by letter with that of the provider, and see that this machine reaches it.',
    setting: 'OIDC_ISSUER=https://login.example.org/',
  },
  async find({ clock, config, events, fetch }) {
    const found: Found[] = []
    for (const provider of createProviders({ config, clock, fetch, events }).all) {
      const { name, issuer } = provider.config
      try {
        await provider.metadata()
        await provider.keys.find(undefined, 'RS256') // loads them
      } catch (error) {
        const reason = reasonOf(error instanceof ApiError ? error.cause : error)
        // Away is often over in a minute; a wrong answer stays.
        const isAway = error instanceof ApiError && error.status === 503
        const what = `The provider ${name} (${issuer}) does not answer as it should: ${reason}.`
        found.push({ what, level: isAway ? 'warning' : 'error' })
      }
    }
    return found
  },
}

export const otherServiceChecks: readonly Check<OfflineContext>[] = [mailServer, providers]
