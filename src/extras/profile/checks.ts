import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { profileStore } from './store.ts'

const values: Check<InsideContext> = {
  id: 'profile_values',
  level: 'warning',
  passMessage: 'the stored profile values fit the fields of PROFILE_FILE',
  why: 'A value that several accounts have identifies none of them; values of a field that is not in the file are stored and shown to nobody but in the export of personal data.',
  mend: {
    do: 'Change the values that are there twice; write a missing field into the file again, or remove its values.',
    setting: 'PROFILE_FILE=/etc/gatehouse/profile.json',
  },
  async find({ config, db }) {
    const { atStart } = config.profile
    return (await profileStore(db).counts()).flatMap(({ field, total, duplicates }) => {
      const found = atStart.find(({ name }) => name === field)
      if (!found) {
        return [
          {
            what: `The field ${field} is not in PROFILE_FILE, and ${total} accounts have a value.`,
          },
        ]
      }
      if (!found.isUnique || duplicates === 0) return []
      return [
        {
          what: `The field ${field} is unique, and ${duplicates} accounts have a value of another.`,
        },
      ]
    })
  },
}

export const checks: ModuleChecks = {
  operatorFiles: ({ profile }) => ({ PROFILE_FILE: profile.file }),
  inside: [values],
}
