import type { ExitCode } from '../errors.ts'
import type { CommandName } from './commands.ts'
import type { Io } from './output/io.ts'

export type CommandCode = (args: readonly string[], io: Io) => Promise<ExitCode>

/** Commands are loaded on demand; a new command needs a file, and an entry here and in commands.ts. */
const CODE: Readonly<Record<CommandName, () => Promise<CommandCode>>> = {
  convert: async () => (await import('./commands/convert.ts')).convertCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  watch: async () => (await import('./commands/watch.ts')).watchCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  pipeline: async () => (await import('./commands/pipeline.ts')).pipelineCommand,
  tools: async () => (await import('./commands/tools.ts')).toolsCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  open: async () => (await import('./commands/open.ts')).openCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  login: async () => (await import('./commands/login.ts')).loginCommand,
  logout: async () => (await import('./commands/login.ts')).logoutCommand,
  whoami: async () => (await import('./commands/login.ts')).whoamiCommand,
  models: async () => (await import('./commands/models.ts')).modelsCommand,
  engines: async () => (await import('./commands/engines.ts')).enginesCommand,
  plugins: async () => (await import('./commands/plugins.ts')).pluginsCommand,
  admin: async () => (await import('./commands/admin.ts')).adminCommand,
  store: async () => (await import('./commands/store.ts')).storeCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  help: async () => (await import('./commands/help.ts')).helpCommand,
  __complete: async () => (await import('./commands/complete.ts')).completeCommand,
}

/** The code of a command. */
export function loadCommand(name: CommandName): Promise<CommandCode> {
  return CODE[name]()
}
