import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Frame } from '../src/core/http/pages/frame.ts'
import type { Language } from '../src/core/lib/languages.ts'
import type { Texts } from './languages/languages.ts'

interface Surroundings {
  readonly frame: Frame
  readonly texts: Texts
}

/** What the components need that pages and console share. */
interface Common {
  readonly language: Language
  readonly common: Texts['common']
}

// The root of what is rendered provides both. No texts stand here: the console loads its own alone.
export const FrameContext = createContext<Surroundings>(undefined as never)
export const CommonContext = createContext<Common>(undefined as never)

/** All texts of the pages, in the language of the page. */
export function useTexts(): Texts {
  return useContext(FrameContext).texts
}

/** What surrounds the content of a page: language, name, files, who is signed in. */
export function useFrame(): Frame {
  return useContext(FrameContext).frame
}

/** The texts that pages and console share. */
export function useCommon(): Texts['common'] {
  return useContext(CommonContext).common
}

export function useLanguage(): Language {
  return useContext(CommonContext).language
}
