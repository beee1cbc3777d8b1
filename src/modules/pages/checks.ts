import { statusPath } from '../../core/checks/answers.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OutsideContext } from '../../core/checks/context.ts'

const cookie: Check<OutsideContext> = {
  id: 'cookie',
  level: 'error',
  passMessage:
    'cookies arrive as the service sets them: Secure, HttpOnly, SameSite, for this host alone',
  why: 'Without Secure a browser sends the session over http; one for other paths or hosts is dropped because of its name, and each sign-in fails.',
  mend: {
    do: 'Leave cookies to the service: they are Secure also where a proxy ends TLS.',
    nginx:
      '# remove: proxy_cookie_flags, proxy_cookie_domain, proxy_cookie_path, proxy_hide_header Set-Cookie',
    caddy: '# remove: header Set-Cookie ..., header -Set-Cookie',
  },
  async find({ probe }) {
    const page = await probe.get('/signin')
    if (page.header('x-request-id') === '') return [] // another application has the path
    if (page.status !== 200) return [{ what: `/signin answers ${page.status}.`, level: 'warning' }]
    const cookies = page.all('set-cookie')
    if (cookies.length === 0) return [{ what: 'The cookie of a sign-in does not arrive.' }]
    return cookies.flatMap((line): Found[] => {
      const [pair = '', ...rest] = line.split(';')
      const name = pair.split('=', 1)[0]?.trim() ?? ''
      const attributes = new Map(
        rest.map((part) => {
          const [key = '', value = ''] = part.split('=')
          return [key.trim().toLowerCase(), value.trim()]
        }),
      )
      const faults = [
        ...(attributes.has('secure') ? [] : ['without Secure']),
        ...(attributes.has('httponly') ? [] : ['without HttpOnly']),
        ...(/^(?:lax|strict)$/i.test(attributes.get('samesite') ?? '') ? [] : ['without SameSite']),
        ...(attributes.has('domain') ? [`with Domain ${attributes.get('domain')}`] : []),
        ...(attributes.get('path') === '/'
          ? []
          : [`with Path ${attributes.get('path') ?? 'none'}`]),
      ]
      if (faults.length === 0) return []
      return [{ what: `The cookie ${name} arrives ${faults.join(', ')}.` }]
    })
  },
}

const compression: Check<OutsideContext> = {
  id: 'compression',
  level: 'warning',
  passMessage: 'answers that hold secrets are not compressed',
  why: 'A page that repeats what an attacker sends, beside a secret, tells the secret by its compressed length (BREACH).',
  mend: {
    do: 'Compress nothing of this host.',
    nginx: 'gzip off;   # in its server block; brotli off; too',
    caddy: '# remove: encode gzip zstd',
  },
  async find({ probe }) {
    const found: Found[] = []
    for (const path of ['/signin', statusPath]) {
      const headers = { 'accept-encoding': 'gzip, deflate, br, zstd', accept: '*/*' }
      const answer = await probe.send(path, { headers })
      if (answer.header('x-request-id') === '') continue // another application has the path
      const coding = answer.header('content-encoding')
      if (coding === '' || coding === 'identity') continue
      found.push({ what: `${path} is answered with Content-Encoding ${coding.slice(0, 40)}.` })
    }
    return found
  },
}

export const checks: ModuleChecks = { outside: [cookie, compression] }
