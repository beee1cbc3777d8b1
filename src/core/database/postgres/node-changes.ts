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
 * order, so a node reads the transactions that its previous snapshot did not see.
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

  /** The next read drops all kept rows. */
  miss(): void {
    this.#snapshot = undefined
  }

  /** The snapshot of the previous read; null if the next read drops all kept rows. */
  get since(): string | null {
    return this.#snapshot ?? null
  }

  /** Drops changed rows; all rows if a part of the log may be purged. */
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
   * Deletes the changes that this node had read at its previous purge. Call after `NodeRows.forget`,
   * which removes the rows of nodes that may not have read them.
   */
  async purge(client: Client): Promise<void> {
    const at = performance.now()
    // Ids above the current ones come from another server, through a restored dump.
    await client.query(
      `delete from node_changes where xid < pg_snapshot_xmin($1::pg_snapshot)
        or xid >= pg_snapshot_xmax(pg_current_snapshot())`,
      [this.#purged.snapshot || '1:1:'],
    )
    this.#purged = { at, snapshot: this.#snapshot ?? '' }
  }
}
