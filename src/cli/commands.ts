import type { ExitCode } from '../errors.ts'
import type { SettingsTable } from '../tool/settings.ts'
import type { Io } from './io.ts'
import { SERVE_SETTINGS, USER_SETTINGS } from './server-options.ts'

export type CommandCode = (args: readonly string[], io: Io) => Promise<ExitCode>

export interface Command {
  /** What follows its name, for help. */
  usage: string
  summary: string
  /** For programs, not for people: left out of help. */
  hidden?: boolean
  /** Its own options. */
  table?: SettingsTable
  load(): Promise<CommandCode>
}

/** The commands beside the sections of tools. Each is loaded only when it is asked for; a new one is a file and a row. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  convert: {
    usage: 'IN… OUT | IN… --to EXT',
    summary: 'convert files by their extensions',
    load: async () => (await import('./commands/convert.ts')).convertCommand,
  },
  run: {
    usage: 'PIPELINE [FILE…]',
    summary: 'run a pipeline of several steps from a YAML or JSON file',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  pipeline: {
    usage: 'validate FILE… | explain FILE [INPUT] [--json]',
    summary: 'check a pipeline, or show what it would do and which steps run as one',
    load: async () => (await import('./commands/pipeline.ts')).pipelineCommand,
  },
  tools: {
    usage: '[SECTION] [--json]',
    summary: 'list all tools',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  serve: {
    usage: '[--port N] [--host ADDRESS] [--data DIR]',
    summary: 'serve the tools over HTTP, with accounts and a file library',
    table: SERVE_SETTINGS,
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  user: {
    usage: 'add NAME | list | reset-password NAME [--data DIR]',
    summary: 'manage the accounts of a server that is not running',
    table: USER_SETTINGS,
    load: async () => (await import('./commands/user.ts')).userCommand,
  },
  doctor: {
    usage: '[--json]',
    summary: 'show which engines are there and which tools miss one',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  config: {
    usage: '[--json]',
    summary: 'show the configuration in force and where it comes from',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  completion: {
    usage: 'bash | zsh | fish',
    summary: 'print the completion file of a shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  help: {
    usage: '[TOPIC]',
    summary: 'explain a topic: inputs, outputs, settings, environment, exit-codes',
    load: async () => (await import('./commands/help.ts')).helpCommand,
  },
  __complete: {
    usage: 'WORD…',
    summary: 'print what could follow on a command line',
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeCommand,
  },
}
