import type { Command, CommandOption } from '../command.ts'
import { commonOptions } from '../help.ts'

/** Usernames and ids are never completed. */
export interface CompletionTable {
  /** Words that may follow `before`. */
  readonly groups: readonly { readonly before: string; readonly next: readonly NextWord[] }[]
  readonly commands: readonly CompletedCommand[]
}

export interface NextWord {
  readonly word: string
  readonly doc: string
}

export interface CompletedCommand {
  readonly name: string
  readonly options: readonly CompletedOption[]
  readonly operands: readonly CompletedOperand[]
}

interface Completed {
  readonly name: string
  /** If few; otherwise empty. */
  readonly values: readonly string[]
  readonly isFile: boolean
}

export interface CompletedOption extends Completed {
  readonly short: string | undefined
  readonly doc: string
  readonly takesValue: boolean
  readonly isMultiple: boolean
}

export interface CompletedOperand extends Completed {
  /** Any number of values may follow. */
  readonly isOpen: boolean
}

/** Includes the common options. */
export function completionTable(commands: readonly Command[]): CompletionTable {
  const groups = new Map<string, Map<string, string>>([['', new Map()]])
  for (const { name, summary } of commands) {
    const words = name.split(' ')
    for (const [index, word] of words.entries()) {
      const isComplete = index === words.length - 1
      for (const prefix of name === 'help' ? [[]] : [[], ['help']]) {
        const before = [...prefix, ...words.slice(0, index)].join(' ')
        const next = groups.get(before) ?? new Map<string, string>()
        const doc = isComplete
          ? summary
          : `more: gatehouse help ${words.slice(0, index + 1).join(' ')}`
        groups.set(before, next.has(word) ? next : next.set(word, doc))
      }
    }
  }
  return {
    groups: [...groups].map(([before, next]) => ({
      before,
      next: [...next].map(([word, doc]) => ({ word, doc })),
    })),
    commands: commands.map(completed),
  }
}

function completed({ name, options = {}, operands = [], operandValues = {} }: Command) {
  const all: [string, CommandOption][] = Object.entries({ ...options, ...commonOptions })
  return {
    name,
    options: all.map(([option, { type, short, doc = '', value = '', values = [], multiple }]) => ({
      name: option,
      short,
      doc,
      values,
      takesValue: type === 'string',
      isMultiple: multiple === true,
      isFile: value === 'file',
    })),
    operands: operands.map((operand) => {
      const [bare = ''] = /\w+/.exec(operand) ?? []
      const values = operandValues[bare] ?? []
      return { name: bare, values, isFile: bare === 'file', isOpen: operand.includes('...') }
    }),
  }
}
