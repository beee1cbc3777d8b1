import { type Context, type SpanContext, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'

export interface LimitedSampler extends Sampler {
  /** Traces over the rate limit. */
  refused(): number
}

const sampled = { decision: SamplingDecision.RECORD_AND_SAMPLED }
const notSampled = { decision: SamplingDecision.NOT_RECORD }

/**
 * Limits new traces per second. Traces requested only by a caller get half, so that callers cannot
 * flood the collector or displace other traces.
 */
export function createSampler(
  { sampler, ratio, maxPerSecond }: Pick<Config['traces'], 'sampler' | 'ratio' | 'maxPerSecond'>,
  clock: Clock,
): LimitedSampler {
  const root = rootSampler(sampler, ratio)
  const base = sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
  const max = maxPerSecond === 0 ? Number.POSITIVE_INFINITY : maxPerSecond
  let second = 0
  let taken = 0
  let hinted = 0
  let refused = 0

  function shouldSample(...asked: Parameters<Sampler['shouldSample']>): SamplingResult {
    const local = localParent(asked[0])
    if (local) return isSampled(local) ? sampled : notSampled
    if (base.shouldSample(...asked).decision !== SamplingDecision.RECORD_AND_SAMPLED) {
      return notSampled
    }
    const isOwn = root.shouldSample(...asked).decision === SamplingDecision.RECORD_AND_SAMPLED
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      second = now
      taken = 0
      hinted = 0
    }
    if (taken >= max || (!isOwn && hinted >= Math.ceil(max / 2))) {
      refused += 1
      return notSampled
    }
    taken += 1
    if (!isOwn) hinted += 1
    return sampled
  }

  return { shouldSample, refused: () => refused }
}

function rootSampler(name: Config['traces']['sampler'], ratio: number): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler()
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio)
}

function localParent(context: Context): SpanContext | undefined {
  const parent = trace.getSpanContext(context)
  return parent?.isRemote ? undefined : parent
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & 1) === 1
}
