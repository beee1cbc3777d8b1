import { frameFiles, overview } from 'made:first-view'
import type { Frame } from '../../src/core/http/pages/frame.ts'
import type { ConsoleOptions } from '../../src/core/http/pages/renderer.ts'
import type { Texts } from '../languages/languages.ts'
import { sessionPath } from './session/path.ts'

interface Props {
  readonly frame: Frame
  readonly options: ConsoleOptions
  readonly texts: Texts['common']
}

/** The page of every address of the console, without data. `console.ts` fills `#console`. */
export function Shell({ frame, options, texts }: Props) {
  const { files, language, name } = frame
  return (
    <html lang={language} class="console">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{name}</title>
        <link rel="stylesheet" href={files.consoleStyle} />
        {files.brandingStyle !== null && <link rel="stylesheet" href={files.brandingStyle} />}
        <link
          rel="icon"
          {...(files.logo === null && { type: 'image/svg+xml' })}
          href={files.logo ?? files.icon}
        />
        <script type="module" src={files.consoleModule} />
        <First frame={frame} options={options} />
      </head>
      <body>
        <div
          id="console"
          data-name={name}
          data-logo={files.logo ?? files.icon}
          data-command={options.command}
        >
          <noscript>
            <p>
              {texts.consoleNeedsScripts} <a href="/account">{texts.account}</a>
            </p>
          </noscript>
        </div>
      </body>
    </html>
  )
}

/** Preloads: a browser requests them at once, while the script would request one after the other. */
function First({ frame: { files, language }, options: { path, roles } }: Omit<Props, 'texts'>) {
  const isOverview = path === overview?.path && overview.roles.some((role) => roles.has(role))
  const shown = isOverview ? overview : null
  const folder = files.consoleModule.replace(/[^/]*$/, '')
  const scripts = new Set([...frameFiles[language], ...(shown?.files[language] ?? [])])
  return (
    <>
      {[...scripts].map((file) => (
        <link key={file} rel="modulepreload" href={folder + file} />
      ))}
      {[sessionPath, ...(shown?.reads ?? [])].map((address) => (
        <link key={address} rel="preload" as="fetch" crossorigin="anonymous" href={address} />
      ))}
    </>
  )
}
