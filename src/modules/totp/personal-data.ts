import { type ExportSection, single } from '../../core/module/export-section.ts'
import { factorStore } from './store.ts'

/** Excludes secrets. */
export const sections: readonly ExportSection[] = [
  single(
    { name: 'second_factor', tables: ['second_factors', 'recovery_codes'] },
    async (db, userId) => {
      const factor = await factorStore(db).of(userId)
      if (!factor) return null
      return {
        is_confirmed: factor.sealed !== null,
        recovery_codes_left: await factorStore(db).countCodes(userId),
      }
    },
  ),
]
