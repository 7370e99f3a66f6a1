/** Options shared by all commands with inputs and outputs. One row each; help, parsing and completion are derived from them. */
export interface CommonOption {
  long: string
  short?: string
  /** Placeholder of its value in help; an option without one is a switch. */
  value?: string
  /** Optional values of a switch, after `=`. */
  words?: readonly string[]
  help: string
  /** It can be given several times; its value is a list. */
  repeats?: true
}

export const COMMON_OPTIONS = {
  output: {
    long: 'output',
    short: 'o',
    value: 'FILE',
    help: 'the one output, replaced in one step; - is standard output; DIR/ is a folder',
  },
  outputDir: { long: 'output-dir', short: 'd', value: 'DIR', help: 'folder for the outputs, made if absent' },
  name: { long: 'name', value: 'PATTERN', help: "pattern of output names, such as '{stem}_{tool}.{ext}'" },
  zip: { long: 'zip', help: 'several outputs of one input as a ZIP file instead of a folder' },
  force: { long: 'force', short: 'f', help: 'replace outputs that are already there' },
  newer: {
    long: 'newer',
    words: ['time', 'hash'],
    help: 'skip inputs whose outputs are up to date by the record of the run that made them, replace the others; =hash compares contents always',
  },
  strict: { long: 'strict', help: 'what could not be kept or reached is a failure, not a warning' },
  dryRun: { long: 'dry-run', help: 'print what would be skipped, replaced and written, and why, and do nothing' },
  recursive: { long: 'recursive', short: 'r', help: 'take the files in folders' },
  nullSeparated: { long: 'null', short: '0', help: 'names in @lists end with a NUL byte instead of a line end' },
  settings: { long: 'settings', value: 'JSON', help: 'several settings at once: JSON, or @FILE (JSON or YAML)' },
  config: {
    long: 'config',
    value: 'FILE',
    help: 'the configuration (JSON, YAML or JavaScript) in place of one that is found',
  },
  jobs: { long: 'jobs', short: 'j', value: 'N', help: 'how many inputs are processed at the same time' },
  timeout: { long: 'timeout', value: 'SECONDS', help: 'time limit of one job; 0 for none' },
  failFast: { long: 'fail-fast', help: 'start no further job after the first failure' },
  plugin: { long: 'plugin', value: 'DIR', help: 'a folder, module or npm package with more tools; can be repeated' },
  server: {
    long: 'server',
    value: 'URL',
    help: 'run the jobs on this mediaproc server; local: on this machine, whatever the configuration says',
  },
  apiKeyFile: {
    long: 'api-key-file',
    value: 'FILE',
    help: 'file with the API key for --server, in place of MEDIAPROC_API_KEY or mediaproc login',
  },
  installEngines: {
    long: 'install-engines',
    help: 'download an engine pack that a tool needs, without a question; mediaproc engines list shows them',
  },
  manifest: {
    long: 'manifest',
    value: 'FILE',
    help: 'write a JSON file that lists the outputs of each input: sizes, checksums, srcset and <picture>',
  },
  report: {
    long: 'report',
    value: 'FILE',
    help: 'write an HTML page about the run: pictures before and after, sizes, warnings, times',
  },
  summary: { long: 'summary', help: 'add a table of the run to the summary of a GitHub Actions step' },
  json: { long: 'json', help: 'one JSON object per job on standard output' },
  quiet: { long: 'quiet', short: 'q', help: 'print only errors' },
  verbose: { long: 'verbose', short: 'v', help: 'print more, such as what the engine said' },
  help: { long: 'help', short: 'h', help: 'print the help of this command' },
} as const satisfies Record<string, CommonOption>

/** Options of `run` and `pipeline` only. */
export const PIPELINE_OPTIONS = {
  set: {
    long: 'set',
    value: 'NAME=VALUE',
    repeats: true,
    help: 'the value of a parameter of the pipeline; can be repeated',
  },
  rows: {
    long: 'rows',
    value: 'FILE',
    help: 'a CSV or JSON file: the pipeline runs once for each row, with its columns as parameters',
  },
} as const satisfies Record<string, CommonOption>

export type CommonName = keyof typeof COMMON_OPTIONS

/** Values from the command line: text for options with a value, true for switches, or the word after `=`. */
export type CommonValues = {
  [Name in CommonName]?: (typeof COMMON_OPTIONS)[Name] extends { value: string }
    ? string
    : (typeof COMMON_OPTIONS)[Name] extends { words: readonly (infer Word)[] }
      ? true | Word
      : true
} & { set?: string[]; rows?: string; root?: string[] }
