import { type ExportSection, single } from '../../core/module/export-section.ts'
import { type FactorKind, factorsIn } from './kinds.ts'
import { recoveryCodesIn } from './recovery-codes.ts'
import { showFactor } from './schemas.ts'

/** Excludes secrets. */
export function sectionsOf(kinds: readonly FactorKind[]): readonly ExportSection[] {
  const tables = [...kinds.flatMap((kind) => kind.tables), 'recovery_codes']
  return [
    single({ name: 'second_factor', tables }, async (db, userId) => {
      const factors = await factorsIn(db, kinds, userId)
      if (factors.length === 0) return null
      return {
        is_confirmed: factors.some(({ isConfirmed }) => isConfirmed),
        recovery_codes_left: await recoveryCodesIn(db).count(userId),
        factors: factors.map((factor) => {
          const { id: _, ...shown } = showFactor(factor)
          return shown
        }),
      }
    }),
  ]
}
