import { statusPath } from '../../core/checks/answers.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OutsideContext } from '../../core/checks/context.ts'
import type { Words } from '../../core/lib/languages.ts'

const cookie: Check<OutsideContext> = {
  id: 'cookie',
  level: 'error',
  passMessage:
    'cookies arrive as the service sets them: Secure, HttpOnly, SameSite, for this host alone',
  why: {
    en: 'Without Secure a browser sends the session over http; one for other paths or hosts is dropped because of its name, and each sign-in fails.',
    de: 'Ohne Secure sendet ein Browser die Sitzung über http; ein Cookie für andere Pfade oder Hosts wird wegen seines Namens verworfen, und jede Anmeldung schlägt fehl.',
  },
  mend: {
    do: {
      en: 'Leave cookies to the service: they are Secure also where a proxy ends TLS.',
      de: 'Überlassen Sie die Cookies dem Dienst: Sie sind auch dort Secure, wo ein Proxy TLS beendet.',
    },
    nginx:
      '# remove: proxy_cookie_flags, proxy_cookie_domain, proxy_cookie_path, proxy_hide_header Set-Cookie',
    caddy: '# remove: header Set-Cookie ..., header -Set-Cookie',
  },
  async find({ probe }) {
    const page = await probe.get('/signin')
    if (page.header('x-request-id') === '') return [] // another application has the path
    if (page.status !== 200)
      return [
        {
          what: {
            en: `/signin answers ${page.status}.`,
            de: `/signin antwortet mit ${page.status}.`,
          },
          level: 'warning',
        },
      ]
    const cookies = page.all('set-cookie')
    if (cookies.length === 0)
      return [
        {
          what: {
            en: 'The cookie of a sign-in does not arrive.',
            de: 'Das Cookie einer Anmeldung kommt nicht an.',
          },
        },
      ]
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
        ...(attributes.has('secure') ? [] : [without('Secure')]),
        ...(attributes.has('httponly') ? [] : [without('HttpOnly')]),
        ...(/^(?:lax|strict)$/i.test(attributes.get('samesite') ?? '')
          ? []
          : [without('SameSite')]),
        ...(attributes.has('domain') ? [having('Domain', attributes.get('domain'))] : []),
        ...(attributes.get('path') === '/' ? [] : [having('Path', attributes.get('path'))]),
      ]
      if (faults.length === 0) return []
      return [
        {
          what: {
            en: `The cookie ${name} arrives ${faults.map(({ en }) => en).join(', ')}.`,
            de: `Das Cookie ${name} kommt so an: ${faults.map(({ de }) => de).join(', ')}.`,
          },
        },
      ]
    })
  },
}

function without(attribute: string): Words {
  return { en: `without ${attribute}`, de: `ohne ${attribute}` }
}

function having(attribute: string, value: string | undefined): Words {
  return {
    en: `with ${attribute} ${value ?? 'none'}`,
    de: `mit ${attribute} ${value ?? '(leer)'}`,
  }
}

const compression: Check<OutsideContext> = {
  id: 'compression',
  level: 'warning',
  passMessage: 'answers that hold secrets are not compressed',
  why: {
    en: 'A page that repeats what an attacker sends, beside a secret, tells the secret by its compressed length (BREACH).',
    de: 'Eine Seite, die neben einem Geheimnis wiederholt, was ein Angreifer sendet, verrät das Geheimnis durch ihre komprimierte Länge (BREACH).',
  },
  mend: {
    do: { en: 'Compress nothing of this host.', de: 'Komprimieren Sie nichts von diesem Host.' },
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
      found.push({
        what: {
          en: `${path} is answered with Content-Encoding ${coding.slice(0, 40)}.`,
          de: `${path} wird mit Content-Encoding ${coding.slice(0, 40)} beantwortet.`,
        },
      })
    }
    return found
  },
}

export const checks: ModuleChecks = { outside: [cookie, compression] }
