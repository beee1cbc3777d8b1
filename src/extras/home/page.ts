import type { ErrorPage } from '../../core/http/pages/page.ts'
import { viewPage } from '../../core/http/pages/send-view.ts'

/** The page of a refusal of `/` itself, for example when it is asked too often. */
export const troublePage: ErrorPage = ({ status }) =>
  viewPage('home-trouble', { isTooOften: status === 429 })
