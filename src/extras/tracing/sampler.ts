import type { Config } from '../../core/config/load.ts'
import type { TraceContext } from '../../core/events/trace-context.ts'
import type { Clock } from '../../core/lib/clock.ts'

export interface SamplerOptions
  extends Pick<Config['traces'], 'sampler' | 'ratio' | 'maxPerSecond'> {
  readonly clock: Clock
}

/** Decides whether a trace that begins, or comes in with a caller, is exported. */
export interface TraceSampler {
  takes(traceId: string, caller: TraceContext | null): boolean
  /** How many traces were not exported because of the limit of a second. */
  refused(): number
}

// The share is taken of the last 56 bits of a trace id, which are random: OpenTelemetry's
// TraceIdRatioBased, so that services with the same share choose the same traces.
const randomDigits = 14
const randomValues = 2 ** 56

/**
 * The samplers of OpenTelemetry, with a limit of their own: `maxPerSecond` traces begin in a second.
 * The flag of a caller is a hint: what this service would not have taken by itself has half of that
 * at most, so that a caller can neither flood the collector nor keep the other traces out of it.
 */
export function createSampler({
  sampler,
  ratio,
  maxPerSecond,
  clock,
}: SamplerOptions): TraceSampler {
  const isParentBased = sampler.startsWith('parentbased_')
  const share = sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : ratio
  const max = maxPerSecond === 0 ? Number.POSITIVE_INFINITY : maxPerSecond
  let second = 0
  let taken = 0
  let hinted = 0
  let refused = 0

  return {
    takes(traceId, caller) {
      const isOwn = isInShare(traceId, share)
      const isWanted = isParentBased && caller ? caller.isSampled : isOwn
      if (!isWanted) return false
      const now = Math.floor(clock.now() / 1000)
      if (now !== second) {
        second = now
        taken = 0
        hinted = 0
      }
      if (taken >= max || (!isOwn && hinted >= Math.ceil(max / 2))) {
        refused += 1
        return false
      }
      taken += 1
      if (!isOwn) hinted += 1
      return true
    },
    refused: () => refused,
  }
}

function isInShare(traceId: string, share: number): boolean {
  if (share === 1 || share === 0) return share === 1
  const random = Number.parseInt(traceId.slice(-randomDigits), 16)
  return random >= (1 - share) * randomValues
}
