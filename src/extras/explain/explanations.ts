import type { FactValue, RefusalReason } from '../../core/errors.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import type { LookUpReason } from '../../core/module/reasons.ts'
import { errorsOf } from '../../core/module/registry.ts'
import type { Refusal } from './store.ts'

export type ShownFacts = Record<string, FactValue>

export interface ShownReason {
  readonly code: string
  readonly guard: string
  readonly explanation: string
  readonly facts: ShownFacts
}

export async function showReason(
  { code, facts = {} }: RefusalReason | Pick<Refusal, 'code' | 'facts'>,
  { language, lookUpReason }: { readonly language: Language; readonly lookUpReason: LookUpReason },
): Promise<ShownReason> {
  const { explanation, guard, words } = await lookUpReason(code)
  const text = language === 'en' ? explanation : (words?.[language] ?? explanation)
  return { code, guard, explanation: text, facts: withTimes(facts) }
}

const isTime = /(?:_at|^until)$/

export function withTimes(facts: Readonly<Record<string, FactValue>>): ShownFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      isTime.test(name) && typeof value === 'number' && value <= maxTime ? isoTime(value) : value,
    ]),
  )
}

const maxTime = 8_640_000_000_000_000 // of a Date

/** The text that the client saw; unknown names are returned unchanged. */
export function errorText(name: string, modules: readonly ModuleNames[]): string {
  const known = errorsOf(modules)[name]
  return known && !known.isUnlisted ? known.error : name
}
