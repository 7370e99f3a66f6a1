import { boolean, choice, integer, text } from '../../tool/settings.ts'
import { COMMON_OPTIONS, type CommonOption } from './common-options.ts'

const DATA = text('folder of accounts, library, jobs and secrets; DATA_DIR, else ./data')

/** Options of `mediaproc serve`; everything else comes from the environment. */
export const SERVE_SETTINGS = {
  port: integer('port to listen on; PORT, else 1349; 0 takes a free one', { min: 0, max: 65_535 }),
  host: text('address to listen on; HOST, else 0.0.0.0, or 127.0.0.1 when authentication is off'),
  data: DATA,
  role: choice(
    ['api', 'worker', 'all'],
    'what this process does, of several that share REDIS_URL: answer requests, run jobs, or both',
    { default: 'all' },
  ),
}

/** Options of `mediaproc open`. */
export const OPEN_SETTINGS = {
  port: integer('port to listen on; a free one by default', { min: 1, max: 65_535 }),
  browser: boolean('open the browser; --no-browser prints the address', { default: true }),
}

/** Options of `mediaproc mcp`. */
export const MCP_OPTIONS = {
  root: {
    long: 'root',
    value: 'DIR',
    repeats: true,
    help: 'a folder that the agent may use; can be repeated. Without it, the folders that the client names as its roots',
  },
} as const satisfies Record<string, CommonOption>

/** Options of `mediaproc admin`. */
export const ADMIN_SETTINGS = { data: DATA }

/** Options of `mediaproc user`. */
export const USER_SETTINGS = {
  data: DATA,
  role: choice(['user', 'editor', 'admin'], 'role of the new user', { default: 'user' }),
  password: text('the password; asked for on a terminal, else made up and printed', { secret: true }),
}

/** Options of `mediaproc store`. */
export const STORE_OPTIONS = {
  dryRun: { ...COMMON_OPTIONS.dryRun, help: 'only count what FROM has, and copy nothing' },
  strict: { ...COMMON_OPTIONS.strict, help: 'what FROM itself lacks is a failure, not a warning' },
  json: { ...COMMON_OPTIONS.json, help: 'print the result as JSON' },
  quiet: COMMON_OPTIONS.quiet,
} as const satisfies Record<string, CommonOption>
