import type { Clock } from '../../core/lib/clock.ts'
import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { type MailAdminOptions, mailAdminRoutes } from './admin-routes.ts'
import { type DevelopmentMailOptions, developmentMailRoutes } from './development-routes.ts'
import type { Devices } from './devices.ts'
import type { ErasedFilesDeps } from './erased-files.ts'
import type { Mailer } from './mailer.ts'
import { type NoticeRoutesOptions, noticeRoutes } from './notice-routes.ts'
import type { Notices } from './notices.ts'
import { type MailPreviewOptions, mailPreviewRoutes } from './preview-routes.ts'
import type { SealedMailDeps } from './sealed-mail.ts'

export type Needs = NoticeRoutesOptions &
  MailAdminOptions &
  MailPreviewOptions &
  DevelopmentMailOptions &
  ErasedFilesDeps &
  SealedMailDeps & {
    readonly clock: Clock
    readonly devices: Devices
    readonly mailer: Mailer
    readonly notices: Notices
    readonly workers: Pick<Workers, 'index'>
  }

const lookEveryMs = 100

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    const { mailer, workers } = needs
    for (const prefix of ownAccountPrefixes) {
      await app.register(noticeRoutes, { prefix, ...needs })
    }
    await app.register(mailAdminRoutes, needs)
    await app.register(mailPreviewRoutes, needs)
    await app.register(developmentMailRoutes, needs)
    app.addHook('onListen', async () => {
      if (workers.index === 0) void mailer.check() // it never throws, and the start does not wait
    })
  },

  jobs: ({ devices, mailer, notices }) => [
    {
      name: 'mail',
      everyMs: lookEveryMs,
      inEachWorker: true,
      isIdle: mailer.isIdle,
      run: mailer.run,
    },
    { name: 'expired mail', purge: mailer.expire },
    { name: 'mail of 30 days ago', purge: mailer.purge },
    { name: 'notices', purge: notices.purge },
    { name: 'known devices', purge: devices.purge },
  ],
}
