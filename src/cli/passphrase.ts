import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { CommandError } from './command.ts'

export interface PassphraseSource {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stderr: Writable
}

const mostBytes = 16_384

/**
 * Typed unseen at a terminal (twice, where it is `new`), else the one line of standard input: never an
 * argument, which everybody on the machine could read. @throws CommandError where there is none
 */
export async function readPassphrase(
  { stdin, stderr }: PassphraseSource,
  { isNew }: { isNew: boolean },
): Promise<string> {
  if (stdin.isTTY !== true) return readLine(stdin)
  const questions = isNew ? ['Passphrase of the backup: ', 'Again: '] : ['Passphrase: ']
  const [first = '', ...others] = await ask({ stdin, stderr }, questions)
  if (others.some((other) => other !== first)) throw new CommandError('the two passphrases differ')
  return first
}

async function readLine(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > mostBytes) throw new CommandError('standard input is too long for a passphrase', 2)
    chunks.push(part)
  }
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (text === '') throw new CommandError('standard input holds no passphrase', 2)
  if (/[\r\n]/.test(text)) throw new CommandError('standard input holds more than one line', 2)
  return text
}

function ask({ stdin, stderr }: PassphraseSource, questions: readonly string[]): Promise<string[]> {
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
      if (answers.length === questions.length) resolve(answers)
      else reject(new CommandError('broken off: nothing was done', 130))
    })
    stderr.write(questions[0] ?? '')
  })
}
