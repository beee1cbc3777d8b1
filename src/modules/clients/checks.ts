import type { ModuleChecks } from '../../core/checks/context.ts'

export const checks: ModuleChecks = {
  operatorFiles: ({ clients }) => ({ CLIENTS_FILE: clients.file }),
}
