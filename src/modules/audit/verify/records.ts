import { batchesOf, rowsOf } from '../../../core/database/batches.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import type { Head } from '../checkpoint-form.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
import { closedKeysOf } from '../closed-keys.ts'
import { openFields, serviceKeyName } from '../persons.ts'
import { type AuditRecord, firstPrevious, macOf } from '../record-form.ts'
import type { Attested, Tombstones } from './checkpoints.ts'
import { rangeOf } from './checkpoints.ts'
import type { ClosedKeysCheck } from './closed.ts'
import type { IndexFinding, Persons } from './indexes.ts'
import type { Findings, Problem, ProblemKind, Restore } from './report.ts'

export interface ReadRecords {
  readonly records: number
  readonly chains: number
  readonly erased: number
  readonly uncovered: { readonly records: number; readonly since: number | null }
  readonly lastRestore: Restore | null
}

export interface RecordsOptions {
  readonly keys: AuditKeys
  readonly tombstones: Tombstones['ofChains']
  readonly heads: Attested['heads']
  readonly persons: Pick<Persons, 'load'>
  readonly checkIndexes: (record: AuditRecord) => IndexFinding
  readonly closedKeys: Pick<ClosedKeysCheck, 'list' | 'used'>
  readonly onProgress: (records: number) => void
}

interface ChainState {
  readonly chain: string
  readonly head: Attested['heads'] extends ReadonlyMap<string, infer H> ? H | undefined : never
  place: number
  previous: string
  number: number
}

const recordsAtOnce = 1000

/** Chain by chain, in batches. */
export async function readRecords(
  store: CheckpointStore,
  { keys, tombstones, heads, persons, checkIndexes, closedKeys, onProgress }: RecordsOptions,
  findings: Findings,
): Promise<ReadRecords> {
  const rows = await readChains(store)
  const seen = new Set<string>()
  let lastRestore = null as Restore | null
  const counts = { records: 0, erased: 0, uncovered: 0 }
  let since: number | null = null
  let state: ChainState | undefined

  const batches = batchesOf({
    from: { chain: '', place: 0 },
    size: recordsAtOnce,
    read: store.recordsAfter,
    placeOf: (last) => last,
  })
  for await (const batch of batches) {
    await persons.load(batch)
    for (const record of batch) {
      if (record.chain !== state?.chain) {
        if (state) end(state)
        state = begin(record)
      }
      verify(record, state)
    }
    onProgress(counts.records)
  }
  if (state) end(state)
  for (const [chain, head] of heads) if (!seen.has(chain)) endUnseen(chain, head)
  for (const chain of rows.keys()) {
    if (seen.has(chain) || heads.has(chain) || tombstones.has(chain)) continue
    findings.add(gap(chain, 1, 'all records of the chain are missing'))
  }
  return {
    ...{ records: counts.records, erased: counts.erased, chains: rows.size },
    lastRestore,
    uncovered: { records: counts.uncovered, since },
  }

  function begin(record: AuditRecord): ChainState {
    const { chain } = record
    seen.add(chain)
    const tombstone = tombstones.get(chain)
    const row = rows.get(chain)
    if (!row) problem('chain', record, 'is in a chain that the list of chains lacks')
    else if (!names(record, row)) {
      problem('chain', record, 'names another instance or version than the list of chains')
    }
    return {
      chain,
      head: heads.get(chain),
      place: tombstone?.place ?? 0,
      previous: tombstone?.mac ?? firstPrevious(keys.chain, chain),
      number: 0,
    }
  }

  function verify(record: AuditRecord, state: ChainState): void {
    const { place, mac, number } = record
    const { head } = state
    counts.records += 1
    if (place <= state.place) {
      problem('tombstone', record, 'stands before the end of what retention removed')
    } else if (place > state.place + 1) {
      const range = rangeOf(state.place + 1, place - 1)
      findings.add(gap(state.chain, state.place + 1, `${range} missing`), number)
      state.previous = '' // unknown after a gap
    }
    if (state.previous !== '' && macOf(keys.chain, state.previous, record) !== mac) {
      const isNew = head !== undefined && place > head.place
      problem(
        isNew ? 'inserted' : 'changed',
        record,
        'is not what was written at this place: it was changed, swapped or inserted',
      )
    } else if (number <= state.number) {
      problem('number', record, 'has a number that is not behind that of the record before it')
    } else if (place === head?.place && (mac !== head.mac || number !== head.number)) {
      const kind = mac === head.mac ? 'number' : 'changed'
      problem(kind, record, `is not the one that checkpoint ${head.checkpoint} attests`)
    } else {
      verifyIndexes(record)
      closedKeys.list(closedKeysOf(record), record.chain)
      if (record.type === 'backup_restored') noteRestore(record)
    }
    if (place > (head?.place ?? 0)) {
      counts.uncovered += 1
      since = Math.min(since ?? Infinity, record.at)
    }
    Object.assign(state, { place, previous: mac, number })
  }

  function verifyIndexes(record: AuditRecord): void {
    if (record.indexed !== 1 && record.indexed !== null) {
      problem('index', record, 'was taken out of the indexes')
    }
    const { closed, wrong } = checkIndexes(record)
    for (const name of closed) closedKeys.used(name, record.number)
    if (wrong) {
      problem(
        'index',
        record,
        `is indexed wrongly: its ${wrong} does not follow from its sealed fields`,
      )
    } else if (closed.length > 0) counts.erased += 1
  }

  function end({ chain, place, head }: ChainState): void {
    if (!head || place >= head.place) return
    const range = rangeOf(place + 1, head.place)
    const detail = `${range} missing: checkpoint ${head.checkpoint} attests them`
    findings.add(gap(chain, place + 1, detail), head.number)
  }

  /** Retention must have removed all attested records. */
  function endUnseen(chain: string, head: Head & { readonly checkpoint: number }): void {
    const tombstone = tombstones.get(chain)
    if (tombstone && tombstone.place > head.place) return
    if (tombstone?.place === head.place && tombstone.mac === head.mac) return
    const place = (tombstone?.place ?? 0) + 1
    const detail = `${rangeOf(place, head.place)} missing: checkpoint ${head.checkpoint} attests them`
    findings.add(gap(chain, place, detail), head.number)
  }

  function problem(what: ProblemKind, record: AuditRecord, detail: string): void {
    const { chain, place, number, id } = record
    findings.add({ what, chain, place, number, id, detail: `the record ${detail}` })
  }

  function noteRestore({ id, at, target_key, target_sealed }: AuditRecord): void {
    if (lastRestore && lastRestore.at >= at) return
    let fields: { readonly file?: unknown; readonly created_at?: unknown } = {}
    try {
      if (target_key === serviceKeyName && target_sealed !== null) {
        fields = openFields(keys.service, { id, side: 'target' }, target_sealed)
      }
    } catch {
      // the mac is valid, so the record was written this way
    }
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
    lastRestore = { id, at, file: textOf(fields.file), created_at: textOf(fields.created_at) }
  }
}

function gap(chain: string, place: number, detail: string): Problem {
  return { what: 'missing', chain, place, number: null, id: null, detail: `place ${detail}` }
}

type ChainRow = Awaited<ReturnType<CheckpointStore['chainsAfter']>>[number]

async function readChains({ chainsAfter }: CheckpointStore): Promise<Map<string, ChainRow>> {
  const rows = rowsOf({ from: '', read: chainsAfter, placeOf: ({ chain }) => chain })
  return new Map(await Array.fromAsync(rows, (row) => [row.chain, row]))
}

/** Must agree with the list of chains. */
function names(record: AuditRecord, { instance, version }: ChainRow): boolean {
  try {
    const facts = JSON.parse(record.facts)
    return facts.instance === instance && facts.version === version
  } catch {
    return true // the mac reports the problem
  }
}
