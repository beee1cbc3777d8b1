import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Config } from '../../config/load.ts'
import {
  assertOrdinary,
  lifeWarning,
  readTlsPair,
  type TlsFiles,
  type TlsPair,
  tlsProtocol,
} from '../../config/tls.ts'
import { digest } from '../../crypto/digest.ts'
import type { Events } from '../../events/events.ts'
import { reasonOf } from '../../reason.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Job } from '../../runtime/jobs.ts'
import { configChanged } from '../events.ts'

// Time until a renewed certificate is used.
const everyMs = 10_000
const dayMs = 86_400_000

/** The server certificate; files may be replaced at run time. */
export interface Certificate {
  options(): ReturnType<typeof optionsOf>
  /** Expiry in epoch milliseconds. */
  validUntil(): number
  /** Reloads the files; new handshakes use the renewed pair. */
  renewal(server: Server): Job
}

type Needs = Pick<Deps, 'clock' | 'log' | 'workers'> & {
  readonly events: Pick<Events, 'emit'>
  readonly config: Pick<Config, 'baseUrl' | 'http'>
}

/** Null without certificate settings. @throws Error if the files became invalid */
export function certificateOf({
  config,
  clock,
  events,
  log: given,
  workers,
}: Needs): Certificate | null {
  const { tls } = config.http
  if (!tls) return null
  // Each worker reads the files; only one logs.
  const log = workers.index === 0 ? given : null
  const first = readTlsPair(tls, config)
  if (!first.pair) throw new Error(first.mistakes.join('; '))
  let current: TlsPair = first.pair
  let seen = ''
  let toldAt = Number.NEGATIVE_INFINITY

  /** Warns daily while the certificate is invalid or expires soon. */
  const tellOfLife = () => {
    const now = clock.now()
    const warning = lifeWarning(current, now)
    if (warning === null || now - toldAt < dayMs) return
    toldAt = now
    log?.warn(warning.en)
  }

  const renew = (server: Server) => {
    const { pair, mistakes, warnings } = readTlsPair(tls, config)
    if (!pair) {
      log?.warn({ mistakes }, 'the TLS files cannot be used as they are: the certificate stays')
    } else if (!isSame(pair, current)) {
      const secure = server as unknown as HttpsServer // made with `options`
      secure.setSecureContext(optionsOf(pair))
      current = pair
      toldAt = Number.NEGATIVE_INFINITY
      const { validToDate, fingerprint256: fingerprint } = pair.certificate
      const until = validToDate.toISOString()
      if (log) events.emit(configChanged, { what: 'certificate', until, fingerprint })
      for (const warning of warnings) log?.warn(warning)
    }
  }

  tellOfLife()
  return {
    options: () => optionsOf(current),
    validUntil: () => current.certificate.validToDate.getTime(),
    renewal: (server) => ({
      name: 'certificate',
      everyMs,
      inEachWorker: true,
      readsFiles: true,
      async run() {
        const now = await contentsOf(tls)
        // The files change one after the other: a mismatch waits for the next change.
        if (now !== seen) renew(server)
        seen = now
        tellOfLife()
      },
    }),
  }
}

/** Digest of the contents or of the read error. */
async function contentsOf({ certFile, keyFile }: TlsFiles): Promise<string> {
  const read = async (file: string) => {
    assertOrdinary(file)
    return readFile(file)
  }
  const contents = await Promise.allSettled([read(certFile), read(keyFile)])
  const parts = contents.map((found) =>
    found.status === 'fulfilled' ? digest(found.value.toString('base64')) : reasonOf(found.reason),
  )
  return parts.join(' ')
}

function optionsOf({ cert, key }: TlsPair) {
  return { ...tlsProtocol, ALPNProtocols: [...tlsProtocol.ALPNProtocols], cert, key: key.reveal() }
}

function isSame(one: TlsPair, other: TlsPair): boolean {
  return one.cert === other.cert && one.key.reveal() === other.key.reveal()
}
