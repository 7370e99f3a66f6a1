import { choice, integer, text } from '../../tool/settings.ts'

const DATA = text('folder of accounts, library, jobs and secrets; DATA_DIR, else ./data')

/** Options of `mediaproc serve`; everything else comes from the environment. */
export const SERVE_SETTINGS = {
  port: integer('port to listen on; PORT, else 1349; 0 takes a free one', { min: 0, max: 65_535 }),
  host: text('address to listen on; HOST, else 0.0.0.0, or 127.0.0.1 when authentication is off'),
  data: DATA,
}

/** Options of `mediaproc admin`. */
export const ADMIN_SETTINGS = { data: DATA }

/** Options of `mediaproc user`. */
export const USER_SETTINGS = {
  data: DATA,
  role: choice(['user', 'editor', 'admin'], 'role of the new user', { default: 'user' }),
  password: text('the password; asked for on a terminal, else made up and printed', { secret: true }),
}
