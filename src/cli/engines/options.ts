import { boolean } from '../../tool/settings.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'

/** Options of `mediaproc engines`. */
export const ENGINES_SETTINGS = {
  all: boolean('every pack; with remove, what is left of interrupted downloads as well', { default: false }),
}

/** Options shared with other commands. */
export const ENGINES_OPTIONS = {
  output: COMMON_OPTIONS.output,
  dryRun: COMMON_OPTIONS.dryRun,
  json: COMMON_OPTIONS.json,
  quiet: COMMON_OPTIONS.quiet,
}
