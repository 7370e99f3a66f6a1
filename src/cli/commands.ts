import type { SettingsTable } from '../tool/settings.ts'
import { CHECK_COMMON, CHECK_SETTINGS } from './check/options.ts'
import { ENGINES_SETTINGS } from './engines/options.ts'
import { COMMON_OPTIONS, type CommonOption, PIPELINE_OPTIONS } from './input/common-options.ts'
import {
  ADMIN_SETTINGS,
  MCP_OPTIONS,
  OPEN_SETTINGS,
  SERVE_SETTINGS,
  STORE_OPTIONS,
  USER_SETTINGS,
} from './input/server-options.ts'
import { WATCH_OPTIONS, WATCH_SETTINGS } from './input/watch-options.ts'
import { MODELS_SETTINGS } from './models/options.ts'
import { LOGIN_OPTIONS, LOGIN_SETTINGS } from './remote/options.ts'

export interface Command {
  /** Usage after the command's name, for help. */
  usage: string
  summary: string
  /** For programs, not for users: hidden in help. */
  hidden?: boolean
  /** Its own options. */
  table?: SettingsTable
  /** The options that it shares with other commands; none for most. */
  common?: Readonly<Record<string, CommonOption>>
}

const TABLE = {
  convert: {
    usage: 'IN… OUT | IN… [DIR/] --to EXT',
    summary: 'convert files by their extensions',
    common: COMMON_OPTIONS,
  },
  run: {
    usage: 'PIPELINE [FILE…] [--set NAME=VALUE]',
    summary: 'run a pipeline of several steps from a YAML or JSON file; - is standard input',
    common: { ...COMMON_OPTIONS, ...PIPELINE_OPTIONS },
  },
  watch: {
    usage: 'PIPELINE FOLDER… | SECTION TOOL FOLDER… [-d DIR]',
    summary: 'process the files of a folder, and those that are added or changed later',
    table: WATCH_SETTINGS,
    common: WATCH_OPTIONS,
  },
  check: {
    usage: '[RULES] [FILE…] [--fix]',
    summary: 'compare files with limits on size, type, metadata and more, for CI; RULES is a YAML file',
    table: CHECK_SETTINGS,
    common: CHECK_COMMON,
  },
  pipeline: {
    usage: 'validate FILE… | explain FILE [INPUT] [--set NAME=VALUE] [--newer] [--json]',
    summary: 'check a pipeline, or show what it would do and which steps run as one',
    common: PIPELINE_OPTIONS,
  },
  tools: {
    usage: '[SECTION] [--json]',
    summary: 'list all tools',
  },
  search: {
    usage: 'TEXT… [--json]',
    summary: 'find tools and presets by words of their names, summaries and settings',
  },
  open: {
    usage: '[FILE…] [--port N] [--no-browser]',
    summary: 'use the tools in the browser, on this machine and for yourself only',
    table: OPEN_SETTINGS,
  },
  serve: {
    usage: '[--port N] [--host ADDRESS] [--data DIR]',
    summary: 'serve the tools over HTTP, with accounts and a file library',
    table: SERVE_SETTINGS,
  },
  mcp: {
    usage: '[--root DIR]…',
    summary: 'serve the tools to an AI agent over standard input and output (Model Context Protocol)',
    common: MCP_OPTIONS,
  },
  user: {
    usage: 'add NAME | list | reset-password NAME [--data DIR]',
    summary: 'manage the accounts of a server that is not running',
    table: USER_SETTINGS,
  },
  login: {
    usage: '[URL] [--web | --api-key-file FILE] [--keyring [--strict]]',
    summary: 'store a key for a server that runs jobs, for --server',
    table: LOGIN_SETTINGS,
    common: LOGIN_OPTIONS,
  },
  logout: {
    usage: '[URL]',
    summary: 'remove the stored key of a server',
  },
  whoami: {
    usage: '[URL]',
    summary: 'show the servers that a key is stored for',
  },
  models: {
    usage:
      'list | install NAME… [--dry-run] | remove NAME… | verify | export NAME -o FILE | import FILE | path [NAME] [--json] [-q]',
    summary: 'the models that some tools need; NAME is a bundle, a tool such as image/ocr, or a model',
    table: MODELS_SETTINGS,
  },
  engines: {
    usage: 'list | install NAME… [--all] [--dry-run] | remove NAME… | export NAME… -o FILE | import FILE [--json] [-q]',
    summary: 'engines that few tools need, downloaded on demand; NAME is a pack such as icodec',
    table: ENGINES_SETTINGS,
  },
  plugins: {
    usage: 'list | trust | distrust [--config FILE] [--json]',
    summary: 'the plugins of the configuration: list them, or allow them to run',
  },
  admin: {
    usage:
      'mfa-status | mfa-policy WORD | mfa-enroll NAME | mfa-verify NAME CODE | mfa-disable NAME | sso-check | sso-off | addresses-off | audit verify [HASH]',
    summary:
      'get back into a server that is not running: second factors, single sign-on, listed addresses; check the audit log',
    table: ADMIN_SETTINGS,
  },
  store: {
    usage: 'migrate FROM TO [--dry-run] [--json] [-q]',
    summary:
      'copy the data of a server that is not running to another place: each is a data folder, or a file of variables (NAME=value)',
    common: STORE_OPTIONS,
  },
  doctor: {
    usage: '[--json]',
    summary: 'show installed engines, and tools that lack one',
  },
  config: {
    usage: '[--config FILE] [--json]',
    summary: 'show the effective configuration and its sources',
  },
  completion: {
    usage: 'bash | zsh | fish',
    summary: 'print the completion file of a shell',
  },
  help: {
    usage: '[TOPIC]',
    summary: 'explain a topic: inputs, outputs, settings, environment, exit-codes',
  },
  __complete: {
    usage: 'WORD…',
    summary: 'print completions for a command line',
    hidden: true,
  },
} satisfies Record<string, Command>

export type CommandName = keyof typeof TABLE

/** The commands besides the tool sections, for help, man pages and completion; their code is in load-command.ts. */
export const COMMANDS: Readonly<Record<string, Command>> = TABLE

/** The commands that help and completion list. */
export const VISIBLE_COMMANDS = Object.entries(TABLE).flatMap(([name, { hidden }]: [string, Command]) =>
  hidden ? [] : [name],
)
