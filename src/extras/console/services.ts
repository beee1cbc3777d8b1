import { hook } from '../../core/module/service.ts'
import { createConsoleAccess } from './access.ts'

export const hooks = [hook('landing', [], ({ config }) => createConsoleAccess(config).landing)]
