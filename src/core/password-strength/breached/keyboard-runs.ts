/** Rows shifted by half a key each; and alphabets. */
const layouts: readonly (readonly string[])[] = [
  ['`1234567890-=', ' qwertyuiop[]\\', " asdfghjkl;'", ' zxcvbnm,./'],
  ['^1234567890ß´', ' qwertzuiopü+', ' asdfghjklöä#', ' yxcvbnm,.-'],
  ['²1234567890)=', ' azertyuiop^$', ' qsdfghjklmù*', ' wxcvbn,;:!'],
  ['ё1234567890-=', ' йцукенгшщзхъ', ' фывапролджэ', ' ячсмитьбю.'],
  ['abcdefghijklmnopqrstuvwxyz'],
]

/** Same keys with Shift. */
const shifted = new Map(
  [...'!@#$%^&*()'].map((sign, index) => [sign, '1234567890'.charAt(index)] as const),
)

const neighbours: ReadonlySet<string> = new Set(layouts.flatMap((rows) => [...pairsOf(rows)]))

/** In lower case; on a keyboard or in the alphabet. */
export function areNeighbours(one: string, other: string): boolean {
  return neighbours.has((shifted.get(one) ?? one) + (shifted.get(other) ?? other))
}

/** Minimum average run length. */
const averageRun = 3

/** Examples: qwertyuiop, 1qaz2wsx, abcdef654321. @param password in lower case */
export function isKeyboardRun(password: string): boolean {
  const keys = [...password].map((sign) => shifted.get(sign) ?? sign)
  let runs = 1
  for (let at = 1; at < keys.length; at += 1) {
    const [before = '', key = ''] = keys.slice(at - 1, at + 1)
    if (before !== key && !neighbours.has(before + key)) runs += 1
  }
  return runs * averageRun <= keys.length
}

function* pairsOf(rows: readonly string[]): Generator<string> {
  for (const [index, row] of rows.entries()) {
    const below = rows[index + 1] ?? ''
    for (const [at, key] of [...row].entries()) {
      if (key === ' ') continue
      for (const near of [row[at + 1], below[at], below[at - 1]]) {
        if (near === undefined || near === ' ') continue
        yield key + near
        yield near + key
      }
    }
  }
}
