import type { FunctionComponent } from 'preact'
import type { Language } from '../../../../src/core/lib/languages.ts'
import type { Health } from '../../health.ts'
import { type FirstStep, ownSteps } from './first-steps.ts'
import type { HealthPart } from './health.ts'

/** A row that is read apart from the status: `health-part.tsx` of a view. */
export interface LoadedPart<Data> {
  read(signal: AbortSignal): Promise<Data>
  /** @param data null until it is read */
  judge(data: Data | null, language: Language): Health
  /** What the row shows of it. */
  readonly Details: FunctionComponent<{ readonly data: Data }>
}

/** What other views add to the overview, each part in a file of its own. */
interface OverviewParts {
  readonly healthPart: HealthPart
  readonly loadedPart: LoadedPart<unknown>
  readonly firstStep: FirstStep
}

const files = Object.values(
  import.meta.glob<Partial<OverviewParts>>('../*/{health-part,first-step}.{ts,tsx}', {
    eager: true,
  }),
)

export const healthParts = files.flatMap(({ healthPart }) => healthPart ?? [])
export const loadedParts = files.flatMap(({ loadedPart }) => loadedPart ?? [])
export const steps: readonly FirstStep[] = [
  ...ownSteps,
  ...files.flatMap(({ firstStep }) => firstStep ?? []),
].toSorted((one, other) => one.order - other.order)
