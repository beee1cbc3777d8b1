import { useEffect, useRef } from 'preact/hooks'

/**
 * What a browser does at the load of a page, done at a change of the view: the window has the title
 * of its heading, the place is the top, and the heading has the focus, so that a screen reader says
 * where the person is. `path` is the address without its fields, whose changes are within a view.
 */
export function useArrival(path: string, name: string): void {
  const isFirst = useRef(true)
  useEffect(() => {
    const main = document.getElementById('main')
    if (!main) return
    let wantsFocus = !isFirst.current
    isFirst.current = false
    if (wantsFocus) scrollTo(0, 0)

    function look(): void {
      const heading = main?.querySelector('h1')
      if (!heading) return
      const title = `${heading.textContent} - ${name}`
      if (document.title !== title) document.title = title
      if (!wantsFocus) return
      wantsFocus = false
      // A field of the view may have taken it already.
      if (main?.contains(document.activeElement) && document.activeElement !== main) return
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
    }
    look()
    const observer = new MutationObserver(look)
    observer.observe(main, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [path, name])
}
