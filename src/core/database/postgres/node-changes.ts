import type { Client } from 'pg'

type Listener = (subjects: readonly string[] | null) => void

/** The columns `snapshot` and `subjects`; `since` is an expression. */
export function changesSince(since: string): string {
  return `pg_current_snapshot()::text as snapshot,
    (select json_agg(distinct subject) from node_changes
      where xid >= pg_snapshot_xmin(${since}) and not pg_visible_in_snapshot(xid, ${since})
    )::text as subjects`
}

const snapshotFormat = /^[0-9:,]+$/

/**
 * The log of changes, `node_changes`, as a node reads it. Ids of a sequence become visible out of
 * order: a node reads the transactions that its snapshot before did not see.
 */
export class NodeChanges {
  version = 0
  anyVersion = 0
  readonly #listeners: Listener[] = []
  #snapshot: string | undefined
  #purged = { at: performance.now(), snapshot: '' }

  onChanges(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** The next look drops everything. */
  miss(): void {
    this.#snapshot = undefined
  }

  /** What the next look reads since; null for nothing. */
  get since(): string | null {
    return this.#snapshot ?? null
  }

  /** Drops what has changed; everything if some of the log may be purged. */
  take(row: Readonly<Record<string, unknown>>, { isWhole }: { readonly isWhole: boolean }): void {
    const snapshot = String(row.snapshot)
    if (!snapshotFormat.test(snapshot)) throw new Error('no snapshot')
    const isKnown = isWhole && this.#snapshot !== undefined
    this.#publish(isKnown ? JSON.parse(String(row.subjects ?? '[]')) : null)
    this.#snapshot = snapshot
  }

  #publish(subjects: readonly string[] | null): void {
    if (subjects?.length === 0) return
    this.version += 1
    if (!subjects) this.anyVersion += 1
    for (const listener of this.#listeners) listener(subjects)
  }

  isPurgeDue(everyMs: number): boolean {
    return performance.now() > this.#purged.at + everyMs
  }

  /**
   * Deletes what was read before the purge before. A node that has not read it since has lost its row:
   * call after `NodeRows.forget`.
   */
  async purge(client: Client): Promise<void> {
    const at = performance.now()
    // Ids above all present ones come from another server, by a restored dump.
    await client.query(
      `delete from node_changes where xid < pg_snapshot_xmin($1::pg_snapshot)
        or xid >= pg_snapshot_xmax(pg_current_snapshot())`,
      [this.#purged.snapshot || '1:1:'],
    )
    this.#purged = { at, snapshot: this.#snapshot ?? '' }
  }
}
