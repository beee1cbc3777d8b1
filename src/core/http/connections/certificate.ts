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

// How soon a renewed certificate is used.
const everyMs = 10_000
const dayMs = 86_400_000

/** The certificate of the server, which the files may replace while it runs. */
export interface Certificate {
  /** The options of a server of node:https. */
  options(): ReturnType<typeof optionsOf>
  /** When the certificate in use ends, in epoch milliseconds. */
  validUntil(): number
  /** The job that reads the files again, and uses a renewed pair for new handshakes. */
  renewal(server: Server): Job
}

type Needs = Pick<Deps, 'clock' | 'log' | 'workers'> & {
  readonly events: Pick<Events, 'emit'>
  readonly config: Pick<Config, 'baseUrl' | 'http'>
}

/**
 * Reads the certificate of the settings; null if they name none.
 * @throws Error if the files have changed for the worse since the settings were read
 */
export function certificateOf({
  config,
  clock,
  events,
  log: given,
  workers,
}: Needs): Certificate | null {
  const { tls } = config.http
  if (!tls) return null
  // Each worker reads the files; one tells of it.
  const log = workers.index === 0 ? given : null
  const first = readTlsPair(tls, config)
  if (!first.pair) throw new Error(first.mistakes.join('; '))
  let current: TlsPair = first.pair
  let seen = ''
  let toldAt = Number.NEGATIVE_INFINITY

  /** Warns, once a day, while the certificate is not valid or expires soon. */
  const tellOfLife = () => {
    const now = clock.now()
    const warning = lifeWarning(current, now)
    if (warning === null || now - toldAt < dayMs) return
    toldAt = now
    log?.warn(warning)
  }

  const renew = (server: Server) => {
    const { pair, mistakes, warnings } = readTlsPair(tls, config)
    if (!pair) {
      log?.warn({ mistakes }, 'the TLS files cannot be used as they are: the certificate stays')
    } else if (!isSame(pair, current)) {
      const secure = server as unknown as HttpsServer // it was made with `options`
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
        // The two files do not change at the same instant: if they do not fit, the next change counts.
        if (now !== seen) renew(server)
        seen = now
        tellOfLife()
      },
    }),
  }
}

/** A digest of what the files hold, or of why they cannot be read. */
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
