import {
  type CommandCall,
  CommandError,
  type CommandWork,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { knownSecret } from '../../core/cli/secrets.ts'
import type { ClientToken } from './client-tokens.ts'
import type { Provider } from './provider.ts'

const ofProvider = {
  provider: { type: 'string', value: 'name', doc: 'one of OIDC_PROVIDERS' },
} as const
const loginTimeoutSeconds = 300

/** Secrets never come from arguments, which every user of the machine can read. */
export const commands: readonly CommandWork[] = [
  {
    name: 'oidc discover',
    options: ofProvider,
    example: 'oidc discover --provider acme',
    run: (call) =>
      told(async () => {
        const metadata = await (await providerOf(call)).metadata()
        const rows = Object.entries(metadata).map(([name, value]) => ({
          name,
          value: Array.isArray(value) ? value.join(' ') : String(value),
        }))
        call.output.rows(rows)
      }),
  },
  {
    name: 'oidc token',
    options: {
      ...ofProvider,
      scope: { type: 'string', value: 'scopes', doc: 'separated by spaces' },
      resource: { type: 'string', value: 'address', doc: 'the resource server (RFC 8707)' },
      username: {
        type: 'string',
        value: 'name',
        doc: 'with the password of this user, read without echo',
      },
      refresh: { type: 'boolean', doc: 'with a refresh token, read without echo' },
    },
    example: "oidc token --scope 'api.read api.write'",
    run: (call) => told(() => getToken(call)),
  },
  {
    name: 'oidc login',
    options: {
      ...ofProvider,
      port: {
        type: 'string',
        value: 'number',
        doc: 'of the redirect address; default: any free port',
      },
    },
    example: 'oidc login --port 8765',
    run: (call) => told(() => logIn(call)),
  },
]

async function getToken(call: CommandCall): Promise<void> {
  const { createClientTokens } = await import('./client-tokens.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const [scope, resource, username] = ['scope', 'resource', 'username'].map((name) =>
    textOf(call, name),
  )
  const tokens = createClientTokens(await providerOf(call), { clock: systemClock })
  const token =
    call.values.refresh === true
      ? await tokens.refresh(await knownSecret(call, 'refresh token'))
      : username !== undefined
        ? await tokens.password(username, await knownSecret(call, 'password'), { scope, resource })
        : await tokens.clientCredentials({ scope, resource })
  call.output.rows([await show(token)])
}

async function logIn(call: CommandCall): Promise<void> {
  const provider = await providerOf(call)
  if (provider.config.kind === 'oauth2') {
    throw new CommandError('the provider has no ID tokens: it signs in at the pages alone')
  }
  const { loopbackLogin } = await import('./loopback-login.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const port = Number(textOf(call, 'port') ?? '0')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError('--port must be a whole number from 0 to 65535')
  }
  const login = await loopbackLogin(await providerOf(call), {
    clock: systemClock,
    port,
    timeoutSeconds: loginTimeoutSeconds,
  })
  call.terminal.stderr.write(`Open this address in a browser:\n\n  ${login.address}\n\n`)
  const { accessToken, refreshToken, claims } = await login.tokens
  const { sub, email = null, name = null } = claims
  call.output.rows([
    {
      sub: String(sub),
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
      access_token: accessToken,
      refresh_token: refreshToken,
    },
  ])
}

async function providerOf(call: CommandCall): Promise<Provider> {
  const { createLog } = await import('../../core/runtime/deps.ts')
  const { createProvider } = await import('./provider.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const { defaultName } = await import('./provider-settings.ts')
  const { eventsOf } = await import('../../core/runtime/sinks.ts')
  const { config } = call
  const name = textOf(call, 'provider') ?? defaultName
  const found = config.providers.find((provider) => provider.name === name)
  if (!found) {
    const names = config.providers.map((provider) => provider.name).join(', ')
    throw new CommandError(
      names
        ? `no provider ${name}: the settings have ${names}`
        : 'the settings have no identity provider: set OIDC_ISSUER and OIDC_CLIENT_ID',
    )
  }
  return createProvider(found, {
    clock: systemClock,
    fetch: globalThis.fetch,
    events: eventsOf({ clock: systemClock, log: createLog('silent') }), // `told` reports failures
  })
}

async function show({ accessToken, expiresAt, refreshToken, scope }: ClientToken) {
  const { isoTimeOrNull } = await import('../../core/lib/clock.ts')
  return {
    access_token: accessToken,
    expires: isoTimeOrNull(expiresAt),
    scope,
    refresh_token: refreshToken,
  }
}

/** @throws CommandError */
async function told(work: () => Promise<void>): Promise<void> {
  const { ApiError } = await import('../../core/errors.ts')
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const reason = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new CommandError(`${error.message}${reason}`)
  }
}
