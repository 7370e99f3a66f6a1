import { text } from '../../tool/settings.ts'

/** Options of `mediaproc login`. */
export const LOGIN_SETTINGS = {
  apiKeyFile: text('file with an API key; - is standard input; without it, a name and a password are asked for'),
}
