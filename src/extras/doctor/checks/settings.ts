import { isLoopback } from '../../../core/addresses/loopback.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { secretWeaknesses } from '../../../core/secret-strength/configured.ts'
import type { Check, Found } from '../check.ts'
import { isPublic, type OfflineContext } from '../context.ts'

/** A new value alone would open nothing: the key set is sealed under the one of before. */
const turned = {
  do: 'Turn it while the service runs, then make the next key the present one: docs/deploy.md.',
  setting: `MASTER_KEY_NEXT="$(openssl rand -hex 32)"   # on every node, then: ${gatehouse} keys rotate-master`,
}

const weakSecret: Check<OfflineContext> = {
  id: 'weak_secret',
  level: 'error',
  passMessage: 'no secret of the settings is publicly known or can be guessed',
  why: 'Who knows a signing secret makes tokens for any account, and who knows the master key opens the key set.',
  mend: {
    do: 'Set a new one and start again; tokens that the old one has signed end. A master key is turned instead.',
    setting: 'TOKEN_SECRET="$(openssl rand -base64 32)"',
  },
  find({ config }) {
    const { masterKey, nextMasterKey, token } = config
    const weak = secretWeaknesses({
      MASTER_KEY: masterKey,
      MASTER_KEY_NEXT: nextMasterKey,
      TOKEN_PRIVATE_KEY: token.privateKey,
      TOKEN_SECRET: token.secret,
      TOKEN_SECRET_PREVIOUS: token.previousSecret,
    })
    return weak.map(([name, weakness]): Found => {
      const what = `${name} ${weakness}.`
      return name === 'MASTER_KEY' ? { what, mend: turned } : { what }
    })
  },
}

const environment: Check<OfflineContext> = {
  id: 'environment',
  level: 'error',
  passMessage: 'NODE_ENV is production',
  why: 'Outside production unsafe settings are accepted, a 500 shows its failure text, and all mail can be read at /dev/mail.',
  mend: {
    do: 'Set it; the start then says what else is not fit for production.',
    setting: 'NODE_ENV=production',
  },
  find({ config }) {
    if (config.environment === 'production') return []
    const what = `NODE_ENV is ${config.environment}`
    if (isPublic(config)) return [{ what: `${what}, and other machines reach this service.` }]
    return [{ what: `${what}: right for development on this machine alone.`, level: 'info' }]
  },
}

const usersPolicy: Check<OfflineContext> = {
  id: 'users_policy',
  level: 'error',
  passMessage: 'USERS_POLICY is not open',
  why: 'Anyone may read, change and delete all users without a credential.',
  mend: { do: 'Choose who may.', setting: 'USERS_POLICY=roles' },
  find({ config }) {
    if (config.users.policy !== 'open') return []
    const what = 'USERS_POLICY is open: the users resource asks for no credential.'
    return [{ what, level: isPublic(config) ? 'error' : 'warning' }]
  },
}

const corsOrigins: Check<OfflineContext> = {
  id: 'cors_origins',
  level: 'error',
  passMessage: 'CORS_ORIGINS names exact origins of https',
  why: 'A page of an allowed origin acts as the person who has it open; a page over http can be changed by anyone on the way.',
  mend: {
    do: 'Name the origins of your own pages, and no others.',
    setting: 'CORS_ORIGINS=https://app.example.org',
  },
  find({ config }) {
    return config.http.corsOrigins.flatMap((origin): Found[] => {
      if (origin === '*') {
        const level = isPublic(config) ? 'error' : 'warning'
        return [{ what: 'CORS_ORIGINS is *: any page of the web is allowed.', level }]
      }
      const { protocol, hostname } = new URL(origin)
      if (protocol === 'https:' || isLoopback(hostname)) {
        const isLeft = isLoopback(hostname) && config.environment === 'production'
        if (!isLeft || !isPublic(config)) return []
        const what = `CORS_ORIGINS allows ${origin} in production: any program of a person's machine can serve that page.`
        return [{ what, level: 'info' }]
      }
      return [{ what: `CORS_ORIGINS allows ${origin}, a page without TLS.`, level: 'warning' }]
    })
  },
}

const loginLimits: Check<OfflineContext> = {
  id: 'login_limits',
  level: 'warning',
  passMessage: 'failed logins are limited',
  why: 'Without a limit a password can be guessed as fast as the service answers.',
  mend: { do: 'Leave the setting out, or set a number.', setting: 'LOGIN_ATTEMPTS=5' },
  find({ config: { login } }) {
    if (login.perUsername.attempts > 0) return []
    return [{ what: 'LOGIN_ATTEMPTS is 0: no limit for each username and address.' }]
  },
}

const logLevel: Check<OfflineContext> = {
  id: 'log_level',
  level: 'warning',
  passMessage: 'the log has security events, and not each request',
  why: 'The log is where a failed login or a lock is seen at once; above info it has none of them.',
  mend: { do: 'Set the default.', setting: 'LOG_LEVEL=info' },
  find({ config: { environment: env, logLevel: level } }) {
    if (['silent', 'fatal', 'error', 'warn'].includes(level)) {
      return env === 'production' ? [{ what: `LOG_LEVEL is ${level}.` }] : []
    }
    return []
  },
}

const baseUrl: Check<OfflineContext> = {
  id: 'base_url',
  level: 'error',
  passMessage: 'BASE_URL is the address that callers use',
  why: 'Links in mail, redirects, the issuer of tokens and the protection of forms go by BASE_URL.',
  mend: {
    do: 'Set it to the address in the browser of a person.',
    setting: 'BASE_URL=https://auth.example.org',
  },
  find({ config }) {
    const { hostname } = new URL(config.baseUrl)
    if (config.environment !== 'production' || !isLoopback(hostname)) return []
    if (isLoopback(config.http.host)) return []
    return [{ what: `BASE_URL is ${config.baseUrl}, which leads each caller to its own machine.` }]
  },
}

const issuer: Check<OfflineContext> = {
  id: 'issuer',
  level: 'warning',
  passMessage: 'the issuer of tokens is BASE_URL',
  why: 'Services that verify tokens compare iss letter by letter, and many look for the keys below the issuer.',
  mend: {
    do: 'Leave TOKEN_ISSUER out, or set it to BASE_URL; tokens of the issuer before are refused then.',
  },
  find({ config: { baseUrl: base, token } }) {
    if (token.issuer === base) return []
    const setting = `TOKEN_ISSUER=${base}`
    const isSpelling =
      URL.canParse(token.issuer) &&
      new URL(token.issuer).origin === base &&
      new URL(token.issuer).pathname === '/'
    const what = isSpelling
      ? `TOKEN_ISSUER is ${token.issuer}, and BASE_URL ${base}: the same place, spelled in two ways.`
      : `TOKEN_ISSUER is ${token.issuer}, and callers use ${base}.`
    return [{ what, mend: { setting } }]
  },
}

const metricsAddress: Check<OfflineContext> = {
  id: 'metrics_address',
  level: 'info',
  passMessage: 'METRICS_ADDRESS is not open to every network',
  why: 'That port asks for no credential, and its numbers tell of logins, failures and load.',
  mend: {
    do: 'Listen on loopback or on the network of the monitoring, or leave a firewall in front that lets the monitoring alone through.',
    setting: 'METRICS_ADDRESS=127.0.0.1:9464',
  },
  find({ config: { http } }) {
    const host = http.metricsAddress?.host
    if (host !== '0.0.0.0' && host !== '::') return []
    return [{ what: `METRICS_ADDRESS listens on all addresses of this machine (${host}).` }]
  },
}

// What the warnings of the settings say and a check of its own says better.
const saidElsewhere =
  /^(?:METRICS_ADDRESS |(?:TOKEN_SECRET|TOKEN_SECRET_PREVIOUS|TOKEN_PRIVATE_KEY|MASTER_KEY) (?!_FILE))/

const settingWarning: Check<OfflineContext> = {
  id: 'setting_warning',
  level: 'warning',
  passMessage: 'the settings give no warning',
  why: 'The service starts with such a setting, and is weaker for it.',
  mend: {
    do: 'docs/configuration.md says what the setting does.',
    setting: `${gatehouse} config check`,
  },
  find({ config }) {
    return config.warnings
      .filter((warning) => !saidElsewhere.test(warning))
      .map((warning): Found => {
        const [, file] = /_FILE: (.*) can be read by other users/.exec(warning) ?? []
        if (file !== undefined) {
          const mend = { do: 'Take the right away, and consider what it holds known.' }
          return { what: `${warning}.`, mend: { ...mend, setting: `chmod 600 ${file}` } }
        }
        // A database on a network that never leaves the machine is such a case, and cannot be told.
        const isLocal = warning.startsWith('DATABASE_URL')
        return { what: `${warning}.`, ...(isLocal && { level: 'info' }) }
      })
  },
}

export const settingChecks: readonly Check<OfflineContext>[] = [
  environment,
  weakSecret,
  usersPolicy,
  corsOrigins,
  loginLimits,
  logLevel,
  baseUrl,
  issuer,
  metricsAddress,
  settingWarning,
]
