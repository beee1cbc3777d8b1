import { text as readAll } from 'node:stream/consumers'
import { createLog } from '../../deps.ts'
import { logEvents } from '../../events/events.ts'
import { type ClientToken, createClientTokens } from '../../external/client-tokens.ts'
import { loopbackLogin } from '../../external/loopback-login.ts'
import { createProvider, type Provider } from '../../external/provider.ts'
import { isoTime, systemClock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'
import { defaultName } from '../../oidc-settings.ts'
import { type Command, type CommandCall, CommandError } from '../command.ts'

/**
 * The service as a client of its identity providers, from the command line: what is configured, and
 * whether it works. Secrets come from the settings or from standard input, never from arguments,
 * which every user of the machine can read.
 */
const ofProvider = { provider: { type: 'string' } } as const
const loginPatienceSeconds = 300

export const oidcCommands: readonly Command[] = [
  {
    name: 'oidc discover',
    summary: 'Asks an identity provider for its endpoints (--provider <name>)',
    options: ofProvider,
    run: (call) =>
      told(async () => {
        const metadata = await providerOf(call).metadata()
        const rows = Object.entries(metadata).map(([name, value]) => ({
          name,
          value: Array.isArray(value) ? value.join(' ') : String(value),
        }))
        call.output.rows(rows)
      }),
  },
  {
    name: 'oidc token',
    summary:
      'Gets a token by client credentials; with --username <name> by the password, or with --refresh by the refresh token, on standard input (--provider, --scope, --resource)',
    options: {
      ...ofProvider,
      scope: { type: 'string' },
      resource: { type: 'string' },
      username: { type: 'string' },
      refresh: { type: 'boolean' },
    },
    run: (call) =>
      told(async () => {
        const { scope, resource, username, refresh } = call.values
        const wanted = { scope: textOf(scope), resource: textOf(resource) }
        const tokens = createClientTokens(providerOf(call), { clock: systemClock })
        const name = textOf(username)
        const token =
          refresh === true
            ? await tokens.refresh(await secretFromInput('refresh token'))
            : name !== undefined
              ? await tokens.password(name, await secretFromInput('password'), wanted)
              : await tokens.clientCredentials(wanted)
        call.output.rows([show(token)])
      }),
  },
  {
    name: 'oidc login',
    summary: 'Signs in with a browser, which comes back to loopback (--provider, --port <number>)',
    options: { ...ofProvider, port: { type: 'string' } },
    run: (call) =>
      told(async () => {
        const port = Number(textOf(call.values.port) ?? '0')
        if (!Number.isInteger(port) || port < 0 || port > 65_535) {
          throw new CommandError('--port must be a whole number from 0 to 65535', 2)
        }
        const login = await loopbackLogin(providerOf(call), {
          clock: systemClock,
          port,
          patienceSeconds: loginPatienceSeconds,
        })
        process.stderr.write(`Open this address in a browser:\n\n  ${login.address}\n\n`)
        const { accessToken, refreshToken, claims } = await login.tokens
        const { sub, email = null, name = null } = claims
        call.output.rows([
          {
            sub: String(sub),
            email: textOf(email) ?? null,
            name: textOf(name) ?? null,
            access_token: accessToken,
            refresh_token: refreshToken,
          },
        ])
      }),
  },
]

function providerOf({ config, values }: CommandCall): Provider {
  const name = textOf(values.provider) ?? defaultName
  const found = config.providers.find((provider) => provider.name === name)
  if (!found) {
    const names = config.providers.map((provider) => provider.name).join(', ')
    throw new CommandError(`no provider ${name}: the settings have ${names || 'none'}`)
  }
  const log = createLog('silent') // what fails is told below, once
  return createProvider(found, {
    clock: systemClock,
    fetch: globalThis.fetch,
    events: logEvents(log),
  })
}

function show({ accessToken, expiresAt, refreshToken, scope }: ClientToken) {
  return {
    access_token: accessToken,
    expires: expiresAt === null ? null : isoTime(expiresAt),
    scope,
    refresh_token: refreshToken,
  }
}

async function secretFromInput(what: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${what}, then Enter and Ctrl-D: `)
  const secret = (await readAll(process.stdin)).replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`no ${what} on standard input`, 2)
  return secret
}

/** The reason behind a refusal: here its reader is the operator. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const reason = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new CommandError(`${error.message}${reason}`)
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
