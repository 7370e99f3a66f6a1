import { TIERS } from '../../models/manifest.ts'
import { boolean, choice } from '../../tool/settings.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'

/** Options of `mediaproc models`. */
export const MODELS_SETTINGS = {
  tier: choice(TIERS, 'light: the least that makes the tools work; standard: what they are best with', {
    default: 'standard',
  }),
  acceptLicence: boolean('accept the licences that are shown, also those that forbid some uses', { default: false }),
  all: boolean('with remove: everything', { default: false }),
}

/** Options shared with other commands. */
export const MODELS_OPTIONS = {
  output: COMMON_OPTIONS.output,
  dryRun: COMMON_OPTIONS.dryRun,
  json: COMMON_OPTIONS.json,
  quiet: COMMON_OPTIONS.quiet,
}
