import { solveCaptchas } from './captcha.ts'
import { offerCopies, offerPrint } from './copy.ts'
import { judgeNewPasswords, offerToShowPasswords } from './passwords.ts'
import { countDownResends } from './resend.ts'
import { showLocalTimes } from './times.ts'

// What a page can do more with scripts: no page needs it but one with a proof of work.
offerToShowPasswords()
judgeNewPasswords()
offerCopies()
offerPrint()
countDownResends()
showLocalTimes()
solveCaptchas()
