import type { ReadRecord } from '../read-records.ts'
import type { Convert } from './account.ts'

/** How one product exports its accounts. docs/import.md has what comes along. */
export interface ForeignFormat {
  /** The records of the file, each the value for `convert`. */
  readonly records: (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<ReadRecord[]>
  /** @throws FormatError if the options do not suit the format */
  readonly converter: (options: FormatOptions) => Convert
}

export interface FormatOptions {
  /** The text of the file of hash parameters. */
  readonly hashConfig: string | undefined
}

/** The message is for the user. */
export class FormatError extends Error {}

/** For formats that need no options. */
export function plain(convert: Convert): ForeignFormat['converter'] {
  return ({ hashConfig }) => {
    if (hashConfig !== undefined) throw new FormatError('--hash-config is for firebase alone')
    return convert
  }
}
