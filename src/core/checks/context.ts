import { isLoopback } from '../addresses/loopback.ts'
import type { Config } from '../config/load.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Check } from './check.ts'
import type { Machine } from './machine.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import type { Probe } from './probe.ts'

export interface OfflineContext extends Pick<Deps, 'clock' | 'config' | 'events' | 'fetch'> {
  readonly machine: Machine
}

export interface InsideContext
  extends OfflineContext,
    Pick<Deps, 'assertDatabaseServes' | 'databaseFiles' | 'db' | 'measurements' | 'random'> {}

/** The service at an address, as any caller sees it. */
export interface OutsideContext {
  /** The origin for callers. */
  readonly origin: string
  readonly probe: Probe
  readonly clock: Clock
  /** Null if this machine lacks them. */
  readonly inside: Pick<InsideContext, 'config' | 'db'> | null
  /** @throws CouldNotCheck */
  certificate(): Promise<PeerCertificate>
}

/** Reachable from other machines: raises the severity of findings. */
export function isPublic({ baseUrl, http }: Pick<Config, 'baseUrl' | 'http'>): boolean {
  return !isLoopback(new URL(baseUrl).hostname) || !isLoopback(http.host)
}

/** Exported by `checks.ts` of a module as `checks`. */
export interface ModuleChecks {
  readonly offline?: readonly Check<OfflineContext>[]
  /** An error skips the checks that need the database. */
  readonly opening?: readonly Check<InsideContext>[]
  readonly inside?: readonly Check<InsideContext>[]
  readonly outside?: readonly Check<OutsideContext>[]
  /** Access rules in files of the operator, by setting. */
  readonly operatorFiles?: (config: Config) => Readonly<Record<string, string | undefined>>
  /** Whether the service uses this database. */
  readonly isOwnService?: (context: OutsideContext) => Promise<boolean>
}
