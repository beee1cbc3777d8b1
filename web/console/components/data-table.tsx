import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { frameTexts } from '../frame-texts.ts'
import { ShortTimes } from './time.tsx'

export interface Column<Row> {
  readonly key: string
  readonly label: string
  readonly show: (row: Row) => ComponentChildren
  /** Whether the API sorts by it. */
  readonly isSortable?: boolean
  readonly isNumber?: boolean
  /** Not shown on a phone. */
  readonly isMinor?: boolean
}

interface Props<Row> {
  /** What the table holds, for a screen reader. */
  readonly caption: string
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown in place of rows: what to do first. */
  readonly empty: ComponentChildren
  readonly sorted?: { readonly by: string; readonly isDescending: boolean }
  readonly onSort?: (by: string, isDescending: boolean) => void
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (selected: ReadonlySet<string>) => void
}

/** A table of rows that the API pages and sorts; arrows go from row to row, Home and End to the ends. */
export function DataTable<Row>(props: Props<Row>) {
  const t = frameTexts.use()
  const body = useRef<HTMLTableSectionElement>(null)
  const { caption, columns, rows, keyOf, empty, sorted, onSort, selected, onSelect } = props
  if (rows.length === 0) return <div class="empty">{empty}</div>
  const keys = rows.map(keyOf)
  const areAll = selected !== undefined && keys.every((key) => selected.has(key))

  function toggle(key: string): void {
    const wanted = new Set(selected)
    if (!wanted.delete(key)) wanted.add(key)
    onSelect?.(wanted)
  }

  function move(event: KeyboardEvent): void {
    const all = [...(body.current?.rows ?? [])]
    const here = all.findIndex((row) => row.contains(document.activeElement))
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key]
    const target = to === undefined ? undefined : all[to]
    if (here < 0 || !target || isTyping(event.target)) return
    event.preventDefault()
    // In the same column, so that boxes are ticked and names are opened on the way.
    const place = document.activeElement?.closest<HTMLTableCellElement>('td, th')?.cellIndex ?? 0
    const within = 'a, button, input'
    const first = target.querySelector<HTMLElement>(within)
    const same = target.cells[place]?.querySelector<HTMLElement>(within)
    ;(same ?? first)?.focus()
  }

  return (
    <div class="scroll">
      <table class="data">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {onSelect && (
              <th scope="col" class="select">
                <input
                  type="checkbox"
                  aria-label={t.table.selectAll}
                  checked={areAll}
                  onChange={() => onSelect(new Set(areAll ? [] : keys))}
                />
              </th>
            )}
            {columns.map(({ key, label, isSortable, isNumber }) => {
              const isOwn = sorted?.by === key
              const direction = sorted?.isDescending ? 'descending' : 'ascending'
              return (
                <th
                  key={key}
                  scope="col"
                  class={isNumber ? 'number' : undefined}
                  aria-sort={isOwn ? direction : undefined}
                >
                  {isSortable && onSort ? (
                    <button
                      type="button"
                      class="sort"
                      onClick={() => onSort(key, isOwn && !sorted.isDescending)}
                    >
                      {label}
                    </button>
                  ) : (
                    label
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <ShortTimes.Provider value={true}>
          <tbody ref={body} onKeyDown={move}>
            {rows.map((row) => {
              const key = keyOf(row)
              return (
                <tr key={key} class={selected?.has(key) ? 'selected' : undefined}>
                  {onSelect && (
                    <td class="select">
                      <input
                        type="checkbox"
                        aria-label={t.table.select(key)}
                        checked={selected?.has(key) ?? false}
                        onChange={() => toggle(key)}
                      />
                    </td>
                  )}
                  {columns.map((column, index) => {
                    const classes = classesOf(column)
                    return index === 0 ? (
                      <th key={column.key} scope="row" class={classes}>
                        {column.show(row)}
                      </th>
                    ) : (
                      <td key={column.key} data-label={column.label} class={classes}>
                        {column.show(row)}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </ShortTimes.Provider>
      </table>
    </div>
  )
}

function classesOf({ isMinor, isNumber }: Pick<Column<unknown>, 'isMinor' | 'isNumber'>) {
  const classes = [isNumber ? 'number' : '', isMinor ? 'minor' : ''].filter(Boolean)
  return classes.length > 0 ? classes.join(' ') : undefined
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type !== 'checkbox' && target.type !== 'radio'
}
