import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { Machine } from './machine.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import type { Probe } from './probe.ts'

/** What can be looked at without the database. */
export interface Unopened extends Pick<Deps, 'clock' | 'config' | 'events' | 'fetch'> {
  readonly machine: Machine
}

/** What the inside checks look at: settings, files, database, and the services that this one uses. */
export interface Inside
  extends Unopened,
    Pick<Deps, 'assertDatabaseServes' | 'databaseFiles' | 'db' | 'measurements' | 'random'> {}

/** What the outside checks look at: a service at an address, as any caller sees it. */
export interface Outside {
  /** The origin that callers use. */
  readonly origin: string
  readonly probe: Probe
  readonly clock: Clock
  /** The settings and the database of the service, if this machine has them. */
  readonly inside: Pick<Inside, 'config' | 'db'> | null
  /** @throws CouldNotCheck */
  certificate(): Promise<PeerCertificate>
}

/** Whether callers of other machines reach the service: what is advice at a desk is a danger there. */
export function isPublic({ baseUrl, http }: Pick<Config, 'baseUrl' | 'http'>): boolean {
  return !isLoopback(new URL(baseUrl).hostname) || !isLoopback(http.host)
}
