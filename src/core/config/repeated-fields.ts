/**
 * JSON parsers silently keep the last duplicate field. Requires valid JSON; returns the line of
 * each duplicate.
 */
export function repeatedFields(
  text: string,
): readonly { readonly name: string; readonly line: number }[] {
  const found: { name: string; line: number }[] = []
  /** Per open object; null for a list. */
  const open: (Set<string> | null)[] = []
  let [line, from] = [1, 0]
  for (const { 0: token, 1: field, index } of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    if (field === undefined) continue
    for (; from < index; from += 1) if (text[from] === '\n') line += 1
    const name: string = JSON.parse(field) // different escapes, same name
    const names = open.at(-1)
    if (names?.has(name)) found.push({ name, line })
    names?.add(name)
  }
  return found
}

/** A field with colon, a text, or a bracket. */
const tokens = /("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[[\]{}]/g
