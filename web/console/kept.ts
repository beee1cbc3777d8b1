/**
 * What this browser keeps of the reader's choices, such as columns. One that keeps nothing, as a
 * private window may, has the usual ones again at the next load.
 */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a choice; null forgets it. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Nothing is kept here.
  }
}
