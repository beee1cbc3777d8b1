import { renderToString } from 'preact-render-to-string'
import type { Renderer } from '../src/http/pages/renderer.ts'
import { Frame } from './components/frame.tsx'
import { FrameContext } from './context.ts'
import { textsOf } from './languages/languages.ts'
import type { PageOf } from './pages/page.ts'
import { pages } from './pages/registry.ts'

/** Makes the whole text of a page; the service loads this module once and calls it for each page. */
export const render: Renderer['render'] = (name, view, frame) => {
  const page: PageOf<typeof view> = pages[name]
  const texts = textsOf(frame.language)
  const title = page.title(view, texts)
  return `<!doctype html>\n${renderToString(
    <FrameContext.Provider value={{ frame, texts }}>
      <Frame
        title={title}
        heading={page.heading?.(view, texts, frame) ?? title}
        hasProblem={page.hasProblem?.(view) ?? false}
        refresh={page.refresh?.(view) ?? null}
        isWide={page.isWide ?? false}
      >
        <page.Content view={view} />
      </Frame>
    </FrameContext.Provider>,
  )}\n`
}
