/** Undefined members are omitted. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** RFC 8785. @throws TypeError for a number that is not finite */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('a number of JSON is finite')
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members: string[] = []
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`)
  }
  return `{${members.join(',')}}`
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
