import type { Logger } from 'pino'
import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Config } from '../../core/config/load.ts'
import { versionOf } from '../../core/config/read-file.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { forwardRulesBroken, forwardRulesChanged } from './events.ts'
import { readForwardFile } from './forward-file.ts'
import type { ForwardRule } from './forward-rule.ts'
import { createJudge, type Judge } from './judge.ts'
import { rulesFile } from './measurements.ts'
import type { ForwardCaller, ForwardInput, Verdict } from './verdict.ts'

/** docs/adr/0061 */
export interface ForwardRules {
  judge(asked: ForwardInput, caller: ForwardCaller | null): Verdict
  /** https, or http on a loopback address. */
  isOrigin(origin: string): boolean
  /** If the changed file has mistakes, logs them, again each hour, and keeps the previous rules. */
  refresh(): Promise<void>
}

export interface ForwardRulesDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly config: Pick<Config, 'forwardAuth' | 'http' | 'roles'>
  readonly events: Pick<Events, 'emit'>
  readonly log: Pick<Logger, 'error' | 'info' | 'warn'>
  readonly measurements: Pick<Measurements, 'of'>
  readonly workers: Pick<Workers, 'index' | 'keep'>
}

const remindMs = 3_600_000

export function createForwardRules(deps: ForwardRulesDeps): ForwardRules {
  const { clock, config, events, log, measurements, workers } = deps
  const { file, atStart } = config.forwardAuth
  const tells = workers.index === 0 // each worker reads the file
  let rules: readonly ForwardRule[] = atStart
  let judge: Judge = createJudge(rules)
  let seen: string | undefined
  let mistakes: readonly string[] = []
  let toldAt = 0
  if (file !== undefined) {
    measurements.of(rulesFile).read = () => ({
      rules: rules.length,
      isBroken: mistakes.length > 0,
    })
    workers.keep({ FORWARD_AUTH_FILE: rules })
  }

  return {
    judge: (asked, caller) => judge.judge(asked, caller),
    isOrigin: (origin) => isOriginOf(judge, origin),

    async refresh() {
      if (file === undefined) return
      const version = await versionOf(file)
      if (version === seen) return remind()
      const isFirst = seen === undefined
      seen = version
      const reading = readForwardFile(file, config.roles, config.http.trustedProxies)
      if (reading.mistakes.length > 0) return refuse(reading.mistakes)
      const isMended = mistakes.length > 0
      mistakes = []
      const isChanged = JSON.stringify(reading.rules) !== JSON.stringify(rules)
      if (isChanged) {
        judge = createJudge(reading.rules)
        rules = reading.rules
        workers.keep({ FORWARD_AUTH_FILE: rules })
      }
      if (!tells) return
      if (isMended) log.info('the file of forward authentication has no mistakes any more')
      // The start already logged the warnings.
      if (!isFirst || isChanged) for (const warning of reading.warnings) log.warn(warning)
      if (isChanged) events.emit(forwardRulesChanged, { rules: rules.length })
    },
  }

  function refuse(found: readonly string[]): void {
    const isNew = JSON.stringify(found) !== JSON.stringify(mistakes)
    mistakes = found
    if (!tells) return
    tellMistakes()
    if (isNew) events.emit(forwardRulesBroken, { mistakes: found.length, rules: rules.length })
  }

  function remind(): void {
    if (tells && mistakes.length > 0 && clock.now() - toldAt >= remindMs) tellMistakes()
  }

  function tellMistakes(): void {
    toldAt = clock.now()
    log.error(
      { mistakes, rules: rules.length },
      'the changed file of forward authentication is not taken up: the rules before stay',
    )
  }
}

function isOriginOf(judge: Judge, origin: string): boolean {
  const url = URL.parse(origin)
  if (!url || url.origin !== origin) return false
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  return isSafe && judge.hasHost(url.host)
}
