import { Writable } from 'node:stream'
import type { Random } from '../crypto/random.ts'
import { type CommandCall, CommandError, exitCodes, type Terminal, UsageError } from './command.ts'

const maxBytes = 16_384

/** For commands that set a password. */
export const passwordOptions = {
  'password-stdin': { type: 'boolean', doc: 'read the password from standard input' },
  generate: {
    type: 'boolean',
    doc: 'generate a password and show it once; the next login must change it',
  },
  'must-change': { type: 'boolean', doc: 'the next login must set another password' },
} as const

export interface NewPassword {
  readonly text: string
  /** Must be shown to the user. */
  readonly isGenerated: boolean
  readonly mustChange: boolean
}

/** Called before any work. @throws UsageError */
export function assertPasswordSource({ terminal, values }: CommandCall): void {
  const [isRead, isGenerated] = [values['password-stdin'] === true, values.generate === true]
  if (isRead && isGenerated) throw new UsageError('--password-stdin or --generate, not both')
  if (isRead || isGenerated || terminal.stdin.isTTY === true) return
  throw new UsageError(
    'standard input is no terminal to ask at: use --password-stdin or --generate',
  )
}

/**
 * Generated, typed twice without echo, or from standard input.
 * @throws CommandError, UsageError
 */
export async function newPassword(
  { config, terminal, values }: CommandCall,
  username: string,
  random: Random,
): Promise<NewPassword> {
  const mustChange = values['must-change'] === true
  if (values.generate === true) {
    const { generatedPassword } = await import('../password-strength/generated-password.ts')
    const text = generatedPassword(random, config.password.minLength)
    return { text, isGenerated: true, mustChange: true }
  }
  if (terminal.stdin.isTTY !== true) {
    return { text: await readSecret(terminal, 'password'), isGenerated: false, mustChange }
  }
  const [first = '', second] = await ask(terminal, [`New password for ${username}: `, 'Again: '])
  if (first !== second) throw new CommandError('the two passwords differ: nothing was changed')
  return { text: first, isGenerated: false, mustChange }
}

/** Shows a generated password once. @throws CommandError if not written */
export async function tellPassword(
  { output }: CommandCall,
  { text, isGenerated }: NewPassword,
  record: object,
  sentence: string,
): Promise<void> {
  if (!isGenerated) return output.result(record, sentence)
  output.result(
    { ...record, password: text },
    `${sentence}\n\n  password  ${text}   (shown once)\n`,
  )
  if (await output.flush()) return
  throw new CommandError('done, but the password could not be shown: set another')
}

/** Typed without echo, or from standard input. @throws UsageError */
export async function knownSecret({ terminal }: CommandCall, what: string): Promise<string> {
  if (terminal.stdin.isTTY !== true) return readSecret(terminal, what)
  const [secret = ''] = await ask(terminal, [`${what[0]?.toUpperCase()}${what.slice(1)}: `])
  return secret
}

/** @throws UsageError for several lines, or an empty required secret */
export async function readSecret(
  { stdin }: Terminal,
  what: string,
  { mayLack = false }: { readonly mayLack?: boolean } = {},
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > maxBytes) throw new UsageError(`standard input is too long for a ${what}`)
    chunks.push(part)
  }
  const text = decode(Buffer.concat(chunks), what).replace(/\r?\n$/, '')
  if (text === '' && !mayLack) throw new UsageError(`standard input holds no ${what}`)
  if (/[\r\n]/.test(text)) throw new UsageError(`standard input holds more than one line`)
  return text
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`standard input is no UTF-8: a ${what} is text`)
  }
}

/** Without echo. @throws CommandError if interrupted */
export async function ask(
  { stdin, stderr }: Terminal,
  questions: readonly string[],
): Promise<string[]> {
  const { createInterface } = await import('node:readline')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: unseen, terminal: true, historySize: 0 })
  const answers: string[] = []
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      answers.push(line)
      stderr.write(`\n${questions[answers.length] ?? ''}`)
      if (answers.length === questions.length) lines.close()
    })
    lines.on('SIGINT', () => lines.close())
    lines.on('close', () => {
      if (answers.length === questions.length) return resolve(answers)
      stderr.write('\n')
      reject(new CommandError('broken off: nothing was changed', exitCodes.interrupted.code))
    })
    stderr.write(questions[0] ?? '')
  })
}
