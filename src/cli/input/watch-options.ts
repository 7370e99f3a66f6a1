import { boolean, integer, text } from '../../tool/settings.ts'
import { COMMON_OPTIONS, PIPELINE_OPTIONS } from './common-options.ts'

/** The interval of --poll without a value, in milliseconds. */
const POLL_MS = 2000

/** Options of `mediaproc watch` besides those of every run. */
export const WATCH_SETTINGS = {
  settle: integer('how long the size and time of a file must be unchanged before it is processed', {
    default: 1000,
    min: 1,
    max: 3_600_000,
    unit: 'ms',
  }),
  poll: integer(`list the folders at this interval, for network folders; --poll alone is ${POLL_MS}`, {
    min: 10,
    max: 3_600_000,
    unit: 'ms',
  }),
  done: text('folder to move processed originals to; nothing in it is overwritten'),
  failed: text('folder to move originals that failed to, each with a text file of the reason'),
  once: boolean('process the files that are there, and end; for cron', { default: false }),
}

const {
  output: _one,
  nullSeparated: _lists,
  failFast: _first,
  dryRun: _plan,
  report: _page,
  manifest: _list,
  summary: _table,
  settings,
  ...OPTIONS
} = COMMON_OPTIONS

/** Options that a watch of a pipeline shares with `run`. */
export const WATCH_PIPELINE_OPTIONS = { ...OPTIONS, ...PIPELINE_OPTIONS }

/** Options that a watch of a tool shares with the tool. */
export const WATCH_TOOL_OPTIONS = { ...OPTIONS, settings }

/** All of them, for help and completion. */
export const WATCH_OPTIONS = { ...WATCH_TOOL_OPTIONS, ...PIPELINE_OPTIONS }

/** `--poll` without a value: the parser only supports options that always have one, or never. */
export function withPollInterval(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return args.flatMap((arg, index) => {
    const isAlone =
      arg === '--poll' && (end < 0 || index < end) && !/^\d+(\.\d+)?(ms|s|sec|min|m|h)?$/.test(args[index + 1] ?? '')
    return isAlone ? [arg, String(POLL_MS)] : [arg]
  })
}
