import type { Detail } from '../../core/errors.ts'
import type { Words } from '../../core/lib/languages.ts'

/** Fields of JSON, as the file of clients and the API have them. */
export type Entry = Readonly<Record<string, unknown>>

/** The message follows the field: "must be one of ...". */
export type Mistake = Detail & Required<Pick<Detail, 'words'>>

/** Says what is wrong with a value; null if nothing is. */
export type FaultOf = (value: unknown) => Words | null

const maxItems = 64
const maxNameLength = 100

/** Reads the fields of an entry and collects all mistakes. Absent and null are the same. */
export function entryReader(entry: Entry) {
  const mistakes: Mistake[] = []
  const add = (path: readonly string[], words: Words) =>
    void mistakes.push({ path, message: words.en, words })
  const refuse = (field: string, words: Words) => add([field], words)

  function checked(field: string, faultOf: FaultOf): string | null {
    const value = entry[field] ?? null
    if (value === null) return null
    const fault = faultOf(value)
    if (fault !== null) refuse(field, fault)
    return fault === null ? String(value) : null
  }

  return {
    mistakes,
    refuse,
    checked,
    text: (field: string) => checked(field, nameFault),

    oneOf<const T extends string>(field: string, names: readonly T[], otherwise: T): T {
      const value = entry[field] ?? otherwise
      const found = names.find((name) => name === value)
      if (found === undefined)
        refuse(field, {
          en: `must be one of ${names.join(', ')}`,
          de: `muss eines von diesen sein: ${names.join(', ')}`,
        })
      return found ?? otherwise
    },

    flag(field: string): boolean {
      const value = entry[field] ?? false
      if (typeof value !== 'boolean')
        refuse(field, { en: 'must be true or false', de: 'muss true oder false sein' })
      return value === true
    },

    /** Null if absent. */
    list(
      field: string,
      faultOf: FaultOf,
      { of = entry, path = [field] }: { readonly of?: Entry; readonly path?: string[] } = {},
    ): string[] | null {
      const value = of[field] ?? null
      if (value === null) return null
      if (!Array.isArray(value) || value.length > maxItems) {
        add(path, {
          en: `must be a list of at most ${maxItems} texts`,
          de: `muss eine Liste von höchstens ${maxItems} Texten sein`,
        })
        return null
      }
      for (const [index, item] of value.entries()) {
        const fault =
          value.indexOf(item) < index
            ? { en: 'is there twice', de: 'steht zweimal da' }
            : faultOf(item)
        if (fault !== null) add([...path, String(index)], fault)
      }
      return value.map(String)
    },
  }
}

export function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameFault(value: unknown): Words | null {
  const isName =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= maxNameLength &&
    !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
  return isName
    ? null
    : {
        en: `must be a text of 1 to ${maxNameLength} characters`,
        de: `muss ein Text mit 1 bis ${maxNameLength} Zeichen sein`,
      }
}
