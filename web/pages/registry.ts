import { files } from 'found:pages.tsx'
import type { Views } from '../../src/core/http/pages/views.ts'
import type { PagesOf } from './page.ts'

/** The pages of all folders, by the names of their views. */
export const pages: PagesOf<Views> = Object.assign({}, ...files.map(({ pages }) => pages))
