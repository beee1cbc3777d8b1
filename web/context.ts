import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Frame } from '../src/http/pages/frame.ts'
import { en } from './languages/en.ts'
import type { Texts } from './languages/languages.ts'

interface Surroundings {
  readonly frame: Frame
  readonly texts: Texts
}

// `render` always provides both.
export const FrameContext = createContext<Surroundings>({ frame: undefined as never, texts: en })

/** The texts in the language of the page. */
export function useTexts(): Texts {
  return useContext(FrameContext).texts
}

/** What surrounds the content: language, name, files, who is signed in. */
export function useFrame(): Frame {
  return useContext(FrameContext).frame
}
