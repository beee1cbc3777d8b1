import type { Frame } from '../../src/core/http/pages/frame.ts'
import type { Texts } from '../languages/languages.ts'

interface Props {
  readonly frame: Frame
  /** How the command line of the service is called. */
  readonly command: string
  readonly texts: Texts['common']
}

/** The page of every address of the console, without data. `console.ts` fills `#console`. */
export function Shell({ frame, command, texts }: Props) {
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
      </head>
      <body>
        <div
          id="console"
          data-name={name}
          data-logo={files.logo ?? files.icon}
          data-command={command}
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
