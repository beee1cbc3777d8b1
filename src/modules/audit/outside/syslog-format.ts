import { hostname } from 'node:os'
import type { Checkpoint } from '../checkpoint-form.ts'
import { checkpointDigest } from '../checkpoint-form.ts'
import type { OutsideRecord } from './outside-record.ts'

/** RFC 5424 section 6.2. */
export interface SyslogSender {
  readonly hostname: string
  readonly processId: number
}

interface Message {
  readonly severity: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly id: string
  readonly fields: readonly (readonly [name: string, value: string | number | null])[]
  /** Omitted if too long. */
  readonly json: string
}

const facility = 13 // "log audit", RFC 5424 table 1
const severities = { critical: 2, warn: 4, info: 6 } as const
const notice = 5
// The example number of RFC 5612; the project has none.
const structuredDataId = 'gatehouse@32473'
const maxMessageIdLength = 32
const maxHostnameLength = 255

/** Replaces characters that RFC 5424 forbids. */
export function syslogSender(name = hostname(), processId = process.pid): SyslogSender {
  return { hostname: printable(name, maxHostnameLength), processId }
}

/**
 * RFC 5424, at most `maxBytes`: structured data and JSON, escaped so that no field can forge a line
 * or message.
 */
export function recordMessage(
  sender: SyslogSender,
  record: OutsideRecord,
  maxBytes = Infinity,
): string {
  const fields = (
    [
      'chain',
      'place',
      'id',
      'outcome',
      'reason',
      'request_id',
      'actor',
      'target',
      'address',
    ] as const
  ).map((name) => [name, record[name]] as const)
  return bounded(sender, maxBytes, {
    severity: severities[record.level],
    at: record.at,
    id: record.type,
    fields: [...fields, ['mac', record.mac]],
    json: jsonText({ record }),
  })
}

/** `digest` identifies the checkpoint without its heads. */
export function checkpointMessage(
  sender: SyslogSender,
  checkpoint: Checkpoint,
  maxBytes = Infinity,
): string {
  const { number, at, previous, records, key_id, signature } = checkpoint
  return bounded(sender, maxBytes, {
    severity: notice,
    at,
    id: 'checkpoint',
    fields: [
      ...Object.entries({ number, digest: checkpointDigest(checkpoint), previous, records }),
      ...Object.entries({ key_id, signature }),
    ],
    json: jsonText({ checkpoint }),
  })
}

/** RFC 6587 section 3.4.1. */
export function octetCounted(message: string): string {
  return `${Buffer.byteLength(message)} ${message}`
}

export function jsonText(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Drops the JSON, then the longest fields. */
function bounded(sender: SyslogSender, maxBytes: number, message: Message): string {
  const whole = textOf(sender, message, message.json)
  if (Buffer.byteLength(whole) <= maxBytes) return whole
  let fields = [...message.fields]
  for (;;) {
    const text = textOf(sender, { ...message, fields: [...fields, ['truncated', 'true']] })
    if (Buffer.byteLength(text) <= maxBytes || fields.length === 0) return text
    const lengths = fields.map(([, value]) => String(value ?? '').length)
    const longest = lengths.indexOf(Math.max(...lengths))
    fields = fields.filter((_, index) => index !== longest)
  }
}

function textOf(sender: SyslogSender, { severity, at, id, fields }: Message, json = ''): string {
  const priority = facility * 8 + severity
  const header = [
    `<${priority}>1`,
    new Date(at).toISOString(),
    sender.hostname,
    'gatehouse',
    sender.processId,
    printable(id, maxMessageIdLength),
  ]
  const params = fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${escapedParam(String(value))}"`)
    .join('')
  return `${header.join(' ')} [${structuredDataId}${params}]${json && ` ${json}`}`
}

/**
 * RFC 5424 section 6.3.3. Control, format and separator characters and lone surrogates become
 * `\uXXXX`.
 */
export function escapedParam(value: string): string {
  return value
    .replace(/[\\"\]]/g, (character) => `\\${character}`)
    .replace(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
      (character) => `\\\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    )
}

/** PRINTUSASCII, RFC 5424 section 6; `-` if empty. */
function printable(text: string, maxLength: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, maxLength) || '-'
}
