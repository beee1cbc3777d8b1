import { isRemote, isStatus, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found, Mend } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { createProbe } from '../../../core/checks/probe.ts'
import { isoTime } from '../../../core/lib/clock.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'

const isHttps = (origin: string) => origin.startsWith('https:')

const plainHttp: Check<OutsideContext> = {
  id: 'plain_http',
  level: 'error',
  passMessage: 'the service is reached over https alone',
  why: {
    en: 'Over http anyone on the way reads passwords, cookies and tokens.',
    de: 'Über http liest jeder auf dem Weg Passwörter, Cookies und Token.',
  },
  mend: {
    do: {
      en: 'Let the proxy end TLS, and have port 80 only redirect.',
      de: 'Lassen Sie den Proxy TLS beenden und Port 80 nur weiterleiten.',
    },
    setting: 'BASE_URL=https://auth.example.org',
    nginx: 'server { listen 80; return 301 https://$host$request_uri; }',
    caddy: 'auth.example.org { reverse_proxy 127.0.0.1:3000 }   # without http:// before the name',
  },
  async find({ origin, probe }) {
    if (!isRemote(origin)) return []
    if (!isHttps(origin)) {
      const isGatehouse = isStatus(await probe.get(statusPath))
      return isGatehouse
        ? [{ what: { en: `${origin} serves without TLS.`, de: `${origin} antwortet ohne TLS.` } }]
        : []
    }
    const { target } = probe
    if (new URL(origin).port !== '' || target.url.port !== '') return []
    const plain = createProbe({ ...target, url: new URL(`http://${target.url.hostname}`) })
    try {
      if (!isStatus(await plain.get(statusPath))) return []
    } catch (error) {
      if (error instanceof OutboundError) return [] // nothing listens there
      throw error
    }
    return [
      {
        what: {
          en: `Port 80 of ${target.url.hostname} serves the same without TLS.`,
          de: `Port 80 von ${target.url.hostname} liefert dasselbe ohne TLS.`,
        },
      },
    ]
  },
}

const wholeChain: Mend = {
  do: {
    en: 'Give the proxy the whole chain: the certificate of the host first, then those of its issuers. For an authority of your own: --ca FILE.',
    de: 'Geben Sie dem Proxy die ganze Kette: zuerst das Zertifikat des Hosts, dann die seiner Aussteller. Für eine eigene Zertifizierungsstelle: --ca FILE.',
  },
  nginx: 'ssl_certificate /etc/letsencrypt/live/auth.example.org/fullchain.pem;',
  caddy: 'tls /path/fullchain.pem /path/privkey.pem   # or none: Caddy gets one by itself',
}

const certificate: Check<OutsideContext> = {
  id: 'certificate',
  level: 'error',
  passMessage: 'clients trust the certificate, and it names the host',
  why: {
    en: 'Browsers stop before the page, and programs refuse the connection, or learn to ignore certificates.',
    de: 'Browser halten vor der Seite an, und Programme lehnen die Verbindung ab oder lernen, Zertifikate zu ignorieren.',
  },
  mend: wholeChain,
  async find({ certificate: read, clock, origin }) {
    if (!isHttps(origin)) return []
    const { certificate: shown, mistrust, namesHost } = await read()
    const found: Found[] = []
    const { hostname } = new URL(origin)
    if (!namesHost) {
      const names = (shown.subjectAltName ?? shown.subject).slice(0, 200)
      const what = {
        en: `The certificate does not name ${hostname}: ${names}.`,
        de: `Das Zertifikat nennt ${hostname} nicht: ${names}.`,
      }
      found.push({
        what,
        mend: {
          do: {
            en: 'Get a certificate for this name.',
            de: 'Besorgen Sie ein Zertifikat für diesen Namen.',
          },
        },
      })
    }
    // Expiry is reported by the next check.
    const isOver = shown.validToDate.getTime() < clock.now()
    if (mistrust !== null && mistrust !== 'CERT_HAS_EXPIRED' && !isOver) {
      found.push({
        what: {
          en: `This machine does not trust the certificate: ${mistrust}.`,
          de: `Dieser Rechner vertraut dem Zertifikat nicht: ${mistrust}.`,
        },
      })
    }
    return found
  },
}

const dayMs = 86_400_000
const noticeDays = 14

const certificateEnd: Check<OutsideContext> = {
  id: 'certificate_end',
  level: 'warning',
  passMessage: 'the certificate is valid for two more weeks',
  why: {
    en: 'From its end on every client refuses the connection.',
    de: 'Von seinem Ende an lehnt jeder Client die Verbindung ab.',
  },
  mend: {
    do: {
      en: 'Renew it, have the proxy read it again, and see why the renewal did not happen by itself.',
      de: 'Erneuern Sie es, lassen Sie den Proxy es neu lesen, und prüfen Sie, warum die automatische Erneuerung ausblieb.',
    },
    setting: 'certbot renew && systemctl reload nginx',
    nginx:
      'ssl_certificate /etc/letsencrypt/live/auth.example.org/fullchain.pem;   # then nginx -s reload',
    caddy: 'tls you@example.org   # Caddy renews it by itself',
  },
  async find({ certificate: read, clock, origin }) {
    if (!isHttps(origin)) return []
    const { validFromDate, validToDate } = (await read()).certificate
    const [from, to, now] = [validFromDate.getTime(), validToDate.getTime(), clock.now()]
    if (now < from)
      return [
        {
          what: {
            en: `The certificate is valid from ${isoTime(from)} on.`,
            de: `Das Zertifikat gilt ab ${isoTime(from)}.`,
          },
          level: 'error',
        },
      ]
    if (now > to)
      return [
        {
          what: {
            en: `The certificate has expired at ${isoTime(to)}.`,
            de: `Das Zertifikat ist um ${isoTime(to)} abgelaufen.`,
          },
          level: 'error',
        },
      ]
    // Short-lived certificates are renewed in their last third.
    const notice = Math.min(noticeDays * dayMs, (to - from) / 4)
    if (to - now >= notice) return []
    const days = Math.ceil((to - now) / dayMs)
    return [
      {
        what: {
          en: `The certificate ends at ${isoTime(to)}, within ${days === 1 ? '1 day' : `${days} days`}.`,
          de: `Das Zertifikat endet um ${isoTime(to)}, in ${days === 1 ? '1 Tag' : `${days} Tagen`}.`,
        },
      },
    ]
  },
}

export const tlsChecks: readonly Check<OutsideContext>[] = [plainHttp, certificate, certificateEnd]
