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

/** What the areas of features add to the overview. */
export const healthParts = Object.values(
  import.meta.glob<HealthPart>('../*/health-part.ts', { eager: true, import: 'healthPart' }),
)

export const loadedParts = Object.values(
  import.meta.glob<LoadedPart<unknown>>('../*/health-part.tsx', {
    eager: true,
    import: 'loadedPart',
  }),
)

export const steps: readonly FirstStep[] = [
  ...ownSteps,
  ...Object.values(
    import.meta.glob<FirstStep>('../*/first-step.ts', { eager: true, import: 'firstStep' }),
  ),
].toSorted((one, other) => one.order - other.order)
