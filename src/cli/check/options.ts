import { LIMIT_TABLE } from '../../local/check/limits.ts'
import { boolean, choice, type SettingsTable, text } from '../../tool/settings.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'

export const REPORT_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Options of `mediaproc check` besides limits. */
const OWN_OPTIONS = {
  rules: text('file of rules (YAML or JSON), if it is not the first operand', { minLength: 1 }),
  format: choice(
    REPORT_FORMATS,
    'the report: for people, as JSON, SARIF 2.1.0 or JUnit XML, or as annotations of GitHub Actions',
    { default: 'text' },
  ),
  fix: boolean('write fixed copies of the files, and check these', { default: false }),
} satisfies SettingsTable

/** Options of `mediaproc check`: each limit is one. */
export const CHECK_SETTINGS = { ...LIMIT_TABLE, ...OWN_OPTIONS }

const {
  output,
  outputDir,
  name,
  force,
  recursive,
  nullSeparated,
  jobs,
  timeout,
  config,
  summary,
  json,
  quiet,
  verbose,
} = COMMON_OPTIONS

/** The options that `check` shares with other commands. */
export const CHECK_COMMON = {
  output: { ...output, help: 'write the report to a file, replaced in one step' },
  outputDir: { ...outputDir, help: 'folder for the files of --fix; beside their originals by default' },
  name: { ...name, help: "pattern of the names of fixed files; '{stem}_fixed.{ext}' by default" },
  force: { ...force, help: 'with --fix: replace outputs that are already there' },
  recursive: { ...recursive, help: 'check the pictures, videos, audio files and PDFs in folders' },
  ...{ nullSeparated, jobs, timeout, config, summary },
  json: { ...json, help: 'the same as --format json' },
  quiet,
  verbose: { ...verbose, help: 'list files without findings, too' },
}
