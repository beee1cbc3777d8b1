import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../../core/reason.ts'

interface Administrator {
  readonly username: string
  /** Null if the operator chose it. */
  readonly password: string | null
}

interface Place {
  readonly address: string
  /** Null without a console. */
  readonly consoleAddress: string | null
}

/** The example requests read the password from a variable, to keep it out of the shell history. */
export function firstRunText(
  { username, password }: Administrator,
  { address, consoleAddress }: Place,
): string {
  const shown = '"$ADMIN_PASSWORD"'
  const [url, name] = [shellWord(address), shellWord(username)]
  const told = password
    ? `password  ${password}   (shown once: keep it)`
    : 'password  as given in ADMIN_PASSWORD'
  const open =
    consoleAddress === null ? '' : `${consoleAddress} is the console: open it in a browser.\n\n`
  return `
${open}Gatehouse is ready at ${address}

  username  ${username}
  ${told}

Try, in another terminal:
  read -rs ADMIN_PASSWORD   # paste the password, then Enter
  curl -s ${url}/api/public/status
  curl -s -u ${name}:${shown} ${url}/users
  curl -s ${url}/login -d mode=token --data-urlencode username=${name} --data-urlencode password=${shown}

`
}

/** Quotes a word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

const passwordFileName = 'first-password'
const maxFiles = 100

export interface PasswordFile {
  readonly path: string
  readonly discard: () => void
}

/**
 * Writes `first-password` with access for this user only; adds a number if the file exists. Never
 * overwrites a file or follows a link. @throws Error with the file name
 */
export function writePasswordFile(dataDirectory: string, password: string): PasswordFile {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    return newFile(dataDirectory, `${password}\n`)
  } catch (error) {
    throw new Error(
      `the password of the first administrator cannot be written to DATA_DIR ${dataDirectory}: set ADMIN_PASSWORD, or start at a terminal`,
      { cause: error },
    )
  }
}

function newFile(folder: string, text: string): PasswordFile {
  for (let number = 1; ; number += 1) {
    const path = join(folder, passwordFileName + (number === 1 ? '' : `-${number}`))
    let file: number
    try {
      file = openSync(path, 'wx', 0o600)
    } catch (error) {
      if (systemCode(error) === 'EEXIST' && number < maxFiles) continue
      throw error
    }
    const discard = () => rmSync(path, { force: true })
    try {
      writeFileSync(file, text, { flush: true })
      return { path, discard }
    } catch (error) {
      discard()
      throw error
    } finally {
      closeSync(file)
    }
  }
}
