import type { OwnLink, OwnTexts } from '../../core/config/own-texts.ts'
import { readBytes } from '../../core/config/read-file.ts'
import { isLanguage, type Language, languages } from '../../core/lib/languages.ts'

export interface Branding {
  readonly logo: Logo | null
  /** Missing texts come from PAGES_LANGUAGE. */
  readonly texts: Readonly<Record<Language, OwnTexts>>
}

export interface Logo {
  readonly name: 'logo.svg' | 'logo.png'
  readonly base64: string
}

export interface BrandingReading extends Branding {
  /** Each begins with the setting. */
  readonly mistakes: readonly string[]
}

const maxLogoBytes = 65_536
const maxTextsBytes = 65_536
const maxLinks = 10
const maxTextLength = 500
const none: OwnTexts = { headline: null, help: null, links: [] }

/** Continues after a mistake. */
export function readBranding(
  logoFile: string | undefined,
  textsFile: string | undefined,
  first: Language,
): BrandingReading {
  const logo = attempt('BRAND_LOGO_FILE', null, () => (logoFile ? readLogo(logoFile) : null))
  const given = attempt('BRAND_TEXTS_FILE', {}, () => (textsFile ? readTexts(textsFile) : {}))
  const inFirst = { ...none, ...given.value[first] }
  const texts = Object.fromEntries(
    languages.map((language) => [language, { ...inFirst, ...given.value[language] }]),
  ) as Record<Language, OwnTexts>
  return { logo: logo.value, texts, mistakes: [...logo.mistakes, ...given.mistakes] }
}

type Given = Partial<Record<Language, Partial<OwnTexts>>>

function attempt<T>(
  setting: string,
  otherwise: T,
  read: () => T,
): { readonly value: T; readonly mistakes: readonly string[] } {
  try {
    return { value: read(), mistakes: [] }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { value: otherwise, mistakes: [`${setting} ${reason}`] }
  }
}

/** @throws Error with a readable message */
function contentOf(path: string, maxBytes: number): Buffer {
  const file = readBytes(path, maxBytes)
  if ('mistake' in file) throw new Error(file.mistake)
  return file.bytes
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

function readLogo(path: string): Logo {
  const content = contentOf(path, maxLogoBytes)
  if (content.subarray(0, 8).equals(pngSignature)) {
    return { name: 'logo.png', base64: content.toString('base64') }
  }
  const text = content.toString()
  if (!/^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]/s.test(text)) {
    throw new Error(`names ${path}, which is neither SVG nor PNG`)
  }
  // http/pages/branding.ts serves the logo without scripts.
  if (/<script|<!DOCTYPE|<!ENTITY|\son[a-z]+\s*=|javascript:/i.test(text)) {
    throw new Error(`names ${path}, an SVG with a script, a handler or a document type in it`)
  }
  return { name: 'logo.svg', base64: content.toString('base64') }
}

function readTexts(path: string): Given {
  let value: unknown
  const text = contentOf(path, maxTextsBytes).toString()
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`names ${path}, which is not JSON`)
  }
  return Object.fromEntries(
    fieldsOf(value, 'the file').map(([language, texts]) => {
      if (!isLanguage(language)) {
        throw new Error(`has ${language}, which is none of ${languages.join(', ')}`)
      }
      return [language, Object.fromEntries(fieldsOf(texts, language).map(ownText(language)))]
    }),
  )
}

function fieldsOf(value: unknown, where: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`has in ${where} something else than an object`)
  }
  return Object.entries(value)
}

function ownText(language: Language) {
  return ([name, value]: [string, unknown]): [string, unknown] => {
    const where = `${language}.${name}`
    if (name === 'headline' || name === 'help') return [name, assertText(value, where)]
    if (name !== 'links') throw new Error(`has ${where}: there are headline, help and links`)
    if (!Array.isArray(value) || value.length > maxLinks) {
      throw new Error(`has in ${where} something else than a list of at most ${maxLinks} links`)
    }
    return [name, value.map((link: unknown, index) => ownLink(link, `${where}[${index}]`))]
  }
}

function ownLink(value: unknown, where: string): OwnLink {
  const { text, href, ...others } = Object.fromEntries(fieldsOf(value, where))
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Error(`has ${where}.${other}: there are text and href`)
  const address = assertText(href, `${where}.href`)
  const isOwnPath = /^\/(?![/\\])[^\\\s]*$/.test(address)
  const protocol = URL.parse(address)?.protocol ?? ''
  if (!isOwnPath && !['https:', 'http:', 'mailto:', 'tel:'].includes(protocol)) {
    throw new Error(`has in ${where}.href no address: https:, mailto: or a path`)
  }
  return { text: assertText(text, `${where}.text`), href: address }
}

function assertText(value: unknown, where: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxTextLength) {
    throw new Error(
      `has in ${where} something else than a text of at most ${maxTextLength} characters`,
    )
  }
  if (/\p{Cc}/u.test(value)) throw new Error(`has in ${where} a control character`)
  return value
}
