import { useEffect, useRef, useState } from 'preact/hooks'
import { LocationProvider, useLocation } from 'preact-iso'
import type { Language } from '../../src/core/lib/languages.ts'
import { CommonContext, useCommon } from '../context.ts'
import type { Area } from './area.ts'
import { areaAt, areasFor, rootPath } from './areas.ts'
import { AreasMenu } from './components/areas-menu.tsx'
import { Bar } from './components/bar.tsx'
import { ConfirmDialog } from './components/confirm.tsx'
import { ConflictDialog } from './components/conflict.tsx'
import { HelpDialog } from './components/help-dialog.tsx'
import { LoadFailed } from './components/loaded.tsx'
import { LoginDialog } from './components/login-dialog.tsx'
import { Toasts } from './components/toasts.tsx'
import { frameTexts } from './frame-texts.ts'
import { useKeys } from './keys.ts'
import { loadedView, loadView } from './loaded-views.ts'
import { hasRole, session } from './session/session.ts'
import { watchSession } from './session/watch-session.ts'

interface Props {
  readonly language: Language
  readonly name: string
  readonly logo: string
}

/** The console: the navigation, the view of the address, and what may stand above it. */
export function App(props: Props) {
  const { common } = frameTexts.use()
  return (
    <CommonContext.Provider value={{ language: props.language, common }}>
      <LocationProvider scope={/^\/admin(\/|\?|$)/}>
        <Frame {...props} />
        <HelpDialog />
        <ConfirmDialog />
        <ConflictDialog />
        <LoginDialog />
        <Toasts />
      </LocationProvider>
    </CommonContext.Provider>
  )
}

function Frame({ language, name, logo }: Props) {
  const t = frameTexts.use()
  const { path, route, url } = useLocation()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const area = areaAt(path)
  const first = areasFor(session.value?.roles ?? [])[0]
  // The overview is of administrators alone: others begin in their first area.
  const isElsewhere = path === rootPath && !hasRole(...(area?.roles ?? [])) && first !== undefined
  useEffect(() => {
    if (isElsewhere) route(first.path, true)
  }, [isElsewhere, first, route])
  useKeys()
  useArrival(path, name)
  useEffect(() => setMenuOpen(false), [url])
  useEffect(watchSession, [])
  return (
    <>
      <a class="skip" href="#main">
        {t.common.skip}
      </a>
      <Bar
        name={name}
        logo={logo}
        isMenuOpen={isMenuOpen}
        onMenu={() => setMenuOpen(!isMenuOpen)}
      />
      <AreasMenu current={area?.path} isOpen={isMenuOpen} />
      <main id="main" tabIndex={-1}>
        {area && hasRole(...area.roles) ? (
          <AreaView key={area.path} area={area} language={language} />
        ) : (
          <NotFound />
        )}
      </main>
    </>
  )
}

function AreaView({ area, language }: { readonly area: Area; readonly language: Language }) {
  const [View, setView] = useState(() => loadedView(area))
  const [failure, setFailure] = useState<unknown>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!View) loadView(area, language).then(() => setView(() => loadedView(area)), setFailure)
  }, [area, language, tries])
  if (View) return <View />
  if (failure === null) return null
  const again = () => {
    setFailure(null)
    setTries(tries + 1)
  }
  return <LoadFailed problem={failure} retry={again} />
}

function NotFound() {
  const t = frameTexts.use()
  const common = useCommon()
  return (
    <>
      <h1>{t.notFound}</h1>
      <p>{t.notFoundHint}</p>
      <p>
        <a class="button" href="/">
          {common.startPage}
        </a>
      </p>
    </>
  )
}

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
