import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { profileStore } from './store.ts'

const values: Check<InsideContext> = {
  id: 'profile_values',
  level: 'warning',
  passMessage: 'the stored profile values fit the fields of PROFILE_FILE',
  why: {
    en: 'A value that several accounts have identifies none of them. Values of a field that is not in the file stay stored, and only the export of personal data shows them.',
    de: 'Ein Wert, den mehrere Konten haben, kennzeichnet keines davon. Werte eines Feldes, das nicht in der Datei steht, bleiben gespeichert, und nur der Export der persönlichen Daten zeigt sie.',
  },
  mend: {
    do: {
      en: 'Change the values that several accounts have. Write a missing field into the file again, or remove its values.',
      de: 'Ändern Sie die Werte, die mehrere Konten haben. Schreiben Sie ein fehlendes Feld wieder in die Datei, oder entfernen Sie seine Werte.',
    },
    setting: 'PROFILE_FILE=/etc/gatehouse/profile.json',
  },
  async find({ config, db }) {
    const { atStart } = config.profile
    return (await profileStore(db).counts()).flatMap(({ field, total, duplicates }) => {
      const found = atStart.find(({ name }) => name === field)
      if (!found) {
        const what = {
          en: `The field ${field} is not in PROFILE_FILE, and ${total} accounts have a value.`,
          de: `Das Feld ${field} steht nicht in PROFILE_FILE, und ${total} Konten haben einen Wert.`,
        }
        return [{ what }]
      }
      if (!found.isUnique || duplicates === 0) return []
      const what = {
        en: `The field ${field} is unique, and ${duplicates} accounts have the value of another account.`,
        de: `Das Feld ${field} ist eindeutig, und ${duplicates} Konten haben den Wert eines anderen Kontos.`,
      }
      return [{ what }]
    })
  },
}

export const checks: ModuleChecks = {
  operatorFiles: ({ profile }) => ({ PROFILE_FILE: profile.file }),
  inside: [values],
}
