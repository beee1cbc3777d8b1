import { list, oneOf, optional, text, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { languages } from '../../core/lib/languages.ts'
import { readBranding } from './branding.ts'
import { parseReturnOrigin } from './redirect-origins.ts'

export const settings = {
  REDIRECT_ORIGINS: list({
    formerly: 'RETURN_ORIGINS',
    doc: 'Origins of your applications to which the pages may return after a sign-in, comma-separated and exact: `https://app.example.org`. The hosts of `FORWARD_AUTH_FILE` need no place here.',
    parse: parseReturnOrigin,
  }),
  BRAND_NAME: text({
    formerly: 'PAGES_NAME',
    default: 'Gatehouse',
    doc: 'The name of your service on pages and in mail: at most 60 characters.',
    check: (value) => {
      if ([...value].length > 60 || /\p{Cc}/u.test(value)) {
        throw new Error('must be at most 60 characters, on one line')
      }
    },
  }),
  BRAND_COLOR: optional({
    formerly: 'PAGES_COLOR',
    doc: 'The colour of buttons and links: `#rrggbb`. docs/pages.md',
    parse: (value) => {
      if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error('must be a colour like #1a5fb4')
      return value.toLowerCase()
    },
  }),
  BRAND_LOGO_FILE: optional({
    formerly: 'PAGES_LOGO_FILE',
    doc: 'A file with your logo, SVG or PNG, at most 64 KiB.',
    parse: (value) => value,
  }),
  PAGES_LANGUAGE: oneOf({
    default: 'en',
    values: languages,
    doc: 'The language of pages and mail for a person who asks for none that there is.',
  }),
  BRAND_TEXTS_FILE: optional({
    formerly: 'PAGES_TEXTS_FILE',
    doc: 'A JSON file with texts of your own, and links such as those to an imprint. docs/pages.md',
    parse: (value) => value,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  const { PAGES_LANGUAGE: language, BRAND_LOGO_FILE, BRAND_TEXTS_FILE } = values
  const { mistakes, ...branding } = readBranding(BRAND_LOGO_FILE, BRAND_TEXTS_FILE, language)
  return {
    config: {
      pages: {
        name: values.BRAND_NAME,
        color: values.BRAND_COLOR,
        language,
        ...branding,
        redirectOrigins: values.REDIRECT_ORIGINS,
      },
    },
    mistakes,
  }
}
