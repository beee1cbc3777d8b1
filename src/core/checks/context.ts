import { isLoopback } from '../addresses/loopback.ts'
import type { Config } from '../config/load.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Machine } from './machine.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import type { Probe } from './probe.ts'

/** The context of the checks that need no database. */
export interface OfflineContext extends Pick<Deps, 'clock' | 'config' | 'events' | 'fetch'> {
  readonly machine: Machine
}

/** The context of the inside checks: settings, files, database, and the services that this service uses. */
export interface InsideContext
  extends OfflineContext,
    Pick<Deps, 'assertDatabaseServes' | 'databaseFiles' | 'db' | 'measurements' | 'random'> {}

/** The context of the outside checks: a service at an address, as any caller sees it. */
export interface OutsideContext {
  /** The origin that callers use. */
  readonly origin: string
  readonly probe: Probe
  readonly clock: Clock
  /** The settings and the database of the service, if this machine has them. */
  readonly inside: Pick<InsideContext, 'config' | 'db'> | null
  /** @throws CouldNotCheck */
  certificate(): Promise<PeerCertificate>
}

/** Whether callers of other machines reach the service: what is advice at a desk is a danger there. */
export function isPublic({ baseUrl, http }: Pick<Config, 'baseUrl' | 'http'>): boolean {
  return !isLoopback(new URL(baseUrl).hostname) || !isLoopback(http.host)
}
