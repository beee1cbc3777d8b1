import { renderToString } from 'preact-render-to-string'
import type { Renderer } from '../src/core/http/pages/renderer.ts'
import { Frame } from './components/frame.tsx'
import { Shell } from './console/shell.tsx'
import { CommonContext, FrameContext } from './context.ts'
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
      <CommonContext.Provider value={{ language: frame.language, common: texts.common }}>
        <Frame
          title={title}
          heading={page.heading?.(view, texts, frame) ?? title}
          hasProblem={page.hasProblem?.(view) ?? false}
          refresh={page.refresh?.(view) ?? null}
          isWide={page.isWide ?? false}
        >
          <page.Content view={view} />
        </Frame>
      </CommonContext.Provider>
    </FrameContext.Provider>,
  )}\n`
}

/** Makes the page of the console: an empty frame, which its script fills. */
export const renderConsole: Renderer['renderConsole'] = (frame, options) =>
  `<!doctype html>\n${renderToString(<Shell frame={frame} options={options} texts={textsOf(frame.language).common} />)}\n`
