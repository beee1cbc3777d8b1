import { nearName } from '../hints/near-name.ts'
import type { CommandRow } from '../module/module.ts'
import { shown } from './output.ts'

/** What is said of words that name no command, with the command that they were probably meant to name. */
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

/** What follows a word in the names of the commands that begin with it. */
function wordsAfter(first: string, rows: readonly CommandRow[]): string[] {
  return rows
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name }) => name.slice(first.length + 1))
}

/** A word that the user typed, for a message: escaped, and at most 40 characters of it. */
export function inWords(word: string): string {
  return shown(word.length > 40 ? `${word.slice(0, 40)}...` : word)
}
