/** The colours of a plot, as the style sheet has them now: a canvas knows no variables. */
interface PlotColors {
  readonly text: string
  readonly line: string
  readonly lines: readonly string[]
}

/** Reads the colours of the elements of the figure: its text, its border, and the marks of its legend. */
export function colorsOf(root: HTMLElement): PlotColors {
  const { borderTopColor, color } = getComputedStyle(root)
  const marks = root.closest('figure')?.querySelectorAll('.swatch') ?? []
  return {
    text: color,
    line: borderTopColor,
    lines: [...marks].map((mark) => getComputedStyle(mark).color),
  }
}

/** Calls back when the scheme of colours changes: of the system, or by an attribute of the page. */
export function watchColors(changed: () => void): () => void {
  const queries = [
    '(prefers-color-scheme: dark)',
    '(prefers-contrast: more)',
    '(forced-colors: active)',
  ]
  const watched = queries.map((query) => matchMedia(query))
  for (const one of watched) one.addEventListener('change', changed)
  const attributes = new MutationObserver(changed)
  attributes.observe(document.documentElement, { attributes: true })
  return () => {
    attributes.disconnect()
    for (const one of watched) one.removeEventListener('change', changed)
  }
}
