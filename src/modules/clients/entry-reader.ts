/** Fields of JSON, as the file of clients and the API have them. */
export type Entry = Readonly<Record<string, unknown>>

export interface Mistake {
  readonly path: readonly string[]
  /** Follows the field: "must be one of ...". */
  readonly message: string
}

/** Says what is wrong with a value; null if nothing is. */
export type FaultOf = (value: unknown) => string | null

const maxItems = 64
const maxNameLength = 100

/** Reads the fields of an entry and collects all mistakes. Absent and null are the same. */
export function entryReader(entry: Entry) {
  const mistakes: Mistake[] = []
  const refuse = (field: string, message: string) => void mistakes.push({ path: [field], message })

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
      if (found === undefined) refuse(field, `must be one of ${names.join(', ')}`)
      return found ?? otherwise
    },

    flag(field: string): boolean {
      const value = entry[field] ?? false
      if (typeof value !== 'boolean') refuse(field, 'must be true or false')
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
        mistakes.push({ path, message: `must be a list of at most ${maxItems} texts` })
        return null
      }
      for (const [index, item] of value.entries()) {
        const message = value.indexOf(item) < index ? 'is there twice' : faultOf(item)
        if (message !== null) mistakes.push({ path: [...path, String(index)], message })
      }
      return value.map(String)
    },
  }
}

export function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameFault(value: unknown): string | null {
  const isName =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= maxNameLength &&
    !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
  return isName ? null : `must be a text of 1 to ${maxNameLength} characters`
}
