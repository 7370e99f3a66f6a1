import { TIERS } from '../../models/manifest.ts'
import { boolean, choice } from '../../tool/settings.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'

/** Options of `mediaproc models`. */
export const MODELS_SETTINGS = {
  tier: choice(TIERS, 'light: the minimum for the tools to work; standard: the best results', {
    default: 'standard',
  }),
  acceptLicence: boolean('accept the displayed licences, including those that restrict use', { default: false }),
  all: boolean('with remove: everything', { default: false }),
}

/** Options shared with other commands. */
export const MODELS_OPTIONS = {
  output: COMMON_OPTIONS.output,
  dryRun: COMMON_OPTIONS.dryRun,
  json: COMMON_OPTIONS.json,
  quiet: COMMON_OPTIONS.quiet,
}
