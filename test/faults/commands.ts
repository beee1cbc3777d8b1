import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { masterKey } from '../master-key.ts'

export interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const root = join(import.meta.dirname, '../..')

/** Runs one command of the command line, in a process of its own, on the data directory of a service. */
export function runCommand(
  directory: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  const settings = { NODE_ENV: 'test', DATA_DIR: directory, MASTER_KEY: masterKey, ...env }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/cli/main.ts', ...words],
      { cwd: root, env: { ...process.env, ...settings } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
      },
    )
  })
}
