import type { ErrorPage } from '../../core/http/pages/page.ts'
import { viewPage } from '../../core/http/pages/send-view.ts'

/** For errors of `/`, for example rate limits. */
export const troublePage: ErrorPage = ({ status }) =>
  viewPage('home-trouble', { isTooOften: status === 429 })
