import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { ApiError } from '../kernel/errors.ts'

// Fields that decide who is asked and who asks: sent twice, two readers could take different ones.
const singular = new Set(['host', 'authorization', 'content-type', 'origin'])

/** Refuses what Node's parser lets through: no Host, a malformed one, and doubled singular fields. */
export const requestShape = plugin(async (app) => {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isMisshapen(request.raw)) throw new ApiError('badRequest')
    done()
  })
})

// RFC 3986 section 3.2.2: reg-name, IPv4 and IPv6 literals, and a port.
const hostFormat = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]*$/

/** RFC 9112 section 3.2. */
function isMisshapen({ rawHeaders, headers, httpVersion }: FastifyRequest['raw']): boolean {
  if (headers.host === undefined) return httpVersion !== '1.0'
  if (!hostFormat.test(headers.host)) return true
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const length = rawHeaders[index]?.length
    if (length !== 4 && length !== 6 && length !== 12 && length !== 13) continue
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!singular.has(name)) continue
    if (seen.has(name)) return true
    seen.add(name)
  }
  return false
}
