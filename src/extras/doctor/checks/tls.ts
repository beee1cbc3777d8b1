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
  why: 'Over http anyone on the way reads passwords, cookies and tokens.',
  mend: {
    do: 'Let the proxy end TLS, and have port 80 only redirect.',
    setting: 'BASE_URL=https://auth.example.org',
    nginx: 'server { listen 80; return 301 https://$host$request_uri; }',
    caddy: 'auth.example.org { reverse_proxy 127.0.0.1:3000 }   # without http:// before the name',
  },
  async find({ origin, probe }) {
    if (!isRemote(origin)) return []
    if (!isHttps(origin)) {
      const isGatehouse = isStatus(await probe.get(statusPath))
      return isGatehouse ? [{ what: `${origin} serves without TLS.` }] : []
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
    return [{ what: `Port 80 of ${target.url.hostname} serves the same without TLS.` }]
  },
}

const wholeChain: Mend = {
  do: 'Give the proxy the whole chain: the certificate of the host first, then those of its issuers. For an authority of your own: --ca FILE.',
  nginx: 'ssl_certificate /etc/letsencrypt/live/auth.example.org/fullchain.pem;',
  caddy: 'tls /path/fullchain.pem /path/privkey.pem   # or none: Caddy gets one by itself',
}

const certificate: Check<OutsideContext> = {
  id: 'certificate',
  level: 'error',
  passMessage: 'clients trust the certificate, and it names the host',
  why: 'Browsers stop before the page, and programs refuse the connection, or learn to ignore certificates.',
  mend: wholeChain,
  async find({ certificate: read, clock, origin }) {
    if (!isHttps(origin)) return []
    const { certificate: shown, mistrust, namesHost } = await read()
    const found: Found[] = []
    const { hostname } = new URL(origin)
    if (!namesHost) {
      const names = (shown.subjectAltName ?? shown.subject).slice(0, 200)
      const what = `The certificate does not name ${hostname}: ${names}.`
      found.push({ what, mend: { do: 'Get a certificate for this name.' } })
    }
    // Expiry is reported by the next check.
    const isOver = shown.validToDate.getTime() < clock.now()
    if (mistrust !== null && mistrust !== 'CERT_HAS_EXPIRED' && !isOver) {
      found.push({ what: `This machine does not trust the certificate: ${mistrust}.` })
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
  why: 'From its end on every client refuses the connection.',
  mend: {
    do: 'Renew it, have the proxy read it again, and see why the renewal did not happen by itself.',
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
      return [{ what: `The certificate is valid from ${isoTime(from)} on.`, level: 'error' }]
    if (now > to)
      return [{ what: `The certificate has expired at ${isoTime(to)}.`, level: 'error' }]
    // Short-lived certificates are renewed in their last third.
    const notice = Math.min(noticeDays * dayMs, (to - from) / 4)
    if (to - now >= notice) return []
    const days = Math.ceil((to - now) / dayMs)
    return [
      {
        what: `The certificate ends at ${isoTime(to)}, within ${days === 1 ? '1 day' : `${days} days`}.`,
      },
    ]
  },
}

export const tlsChecks: readonly Check<OutsideContext>[] = [plainHttp, certificate, certificateEnd]
