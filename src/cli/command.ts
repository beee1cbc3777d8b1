import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../config.ts'

/** One command of the command line, as a row of the table in `main.ts`. */
export interface Command {
  /** `keys rotate` */
  readonly name: string
  /** `<kid>`, where it takes words of its own. */
  readonly operands?: readonly string[]
  readonly summary: string
  readonly options?: NonNullable<ParseArgsConfig['options']>
  run(call: CommandCall): Promise<void>
}

export interface CommandCall {
  readonly config: Config
  readonly operands: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly output: Output
}

/** Where results go: text for people, or JSON with `--json`. */
export interface Output {
  /** Rows of the same shape; as columns for people. */
  rows(rows: readonly Readonly<Record<string, string | number | boolean | null>>[]): void
  /** One sentence; `{"message": ...}` for machines. */
  message(text: string): void
}

/** A mistake of the caller, told without a stack; exit code 2 for usage, 1 for the rest. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

export function createOutput(json: boolean, write: (text: string) => void): Output {
  return {
    rows(rows) {
      if (json) return write(`${JSON.stringify(rows)}\n`)
      const names = Object.keys(rows[0] ?? {})
      const table = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '-')))]
      const widths = names.map((_, column) =>
        Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
      )
      for (const cells of table) {
        const line = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
        write(`${line.trimEnd()}\n`)
      }
    },
    message: (text) => write(json ? `${JSON.stringify({ message: text })}\n` : `${text}\n`),
  }
}
