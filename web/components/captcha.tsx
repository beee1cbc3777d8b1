import { useCommon } from '../context.ts'

/**
 * The proof of work, inside the form of a password: with scripts the browser solves it by itself and
 * fills in the hidden field `captcha`. Without scripts it says that they are needed.
 */
export function Captcha() {
  const t = useCommon()
  return (
    <div
      class="captcha"
      data-captcha="/api/public/captcha"
      data-working={t.captchaWorking}
      data-done={t.captchaDone}
      data-failed={t.captchaFailed}
    >
      <input type="hidden" name="captcha" value="" />
      <p role="status">
        <noscript>{t.captchaNeedsScripts}</noscript>
      </p>
    </div>
  )
}
