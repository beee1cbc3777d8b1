import { nearName } from '../hints/near-name.ts'
import type { CommandRow } from '../module/module.ts'
import { shown } from './output.ts'

/** Suggests the probable command. */
export function noCommand(rows: readonly CommandRow[], words: readonly string[]): string {
  const [first = '', ...others] = words
  const groups = new Set(rows.map(({ name }) => name.split(' ', 1)[0] ?? name))
  const meant = groups.has(first)
    ? nearName(others.join(' '), wordsAfter(first, rows))
    : nearName(first, groups)
  const whole = groups.has(first) ? `${first} ${meant}` : meant
  const hint = meant === undefined ? '' : `; did you mean ${whole}?`
  return `there is no command ${words.map(inWords).join(' ')}${hint}`
}

function wordsAfter(first: string, rows: readonly CommandRow[]): string[] {
  return rows
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name }) => name.slice(first.length + 1))
}

/** User input for a message: escaped, at most 40 characters. */
export function inWords(word: string): string {
  return shown(word.length > 40 ? `${word.slice(0, 40)}...` : word)
}
